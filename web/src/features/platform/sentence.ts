import type { TFunction } from 'i18next';
import type { AuditRow } from './api';
import { commandOf, isKnown } from './operations';

/** So many changed fields stand in the sentence; the others are counted. */
export const MAX_IN_SENTENCE = 2;
const MAX_VALUE = 40;

/** Fields whose value is the number of a thing, with the kind of it, as the cloud names them in a row. */
const THINGS: Readonly<Record<string, string>> = {
  device_id: 'device',
  device_ids: 'device',
  ids: 'device',
  user_id: 'user',
  owner_id: 'user',
  project_id: 'project',
  group_id: 'group',
  product_id: 'product',
  template_id: 'template',
  point_template_id: 'template',
  gateway_template_id: 'template',
};

export interface FieldChange {
  /** Label of the portal; of a point with the point before it. */
  field: string;
  /** Null where there was none, or none is left. */
  before: string | null;
  after: string | null;
}

type Sentence = Pick<
  AuditRow,
  'operation' | 'method' | 'path' | 'user_name' | 'thing' | 'things' | 'ids' | 'changes' | 'status' | 'result'
>;

/** A field's label, of points as their editor has it; `slave / point: field` keeps its point. */
function labelOf(name: string, t: TFunction): string {
  const at = name.lastIndexOf(': ');
  const [where, field] = at < 0 ? ['', name] : [name.slice(0, at + 2), name.slice(at + 2)];
  return `${where}${t([`platform:field.${field}`, `base:point.field.${field}`], { defaultValue: field })}`;
}

function valueOf(name: string, value: unknown, row: Sentence, t: TFunction): string {
  if (value === null || value === undefined || value === '') return t('platform:audit.nothing');
  if (typeof value === 'boolean') return t(value ? 'platform:audit.on' : 'platform:audit.off');
  const names = row.things[THINGS[name] ?? ''] ?? {};
  if (Array.isArray(value)) return value.map((each) => names[String(each)] ?? String(each)).join(', ');
  if (typeof value === 'object') return JSON.stringify(value);
  return names[String(value)] ?? String(value);
}

/** What differs, in the portal's words; empty when the cloud only knows what was sent. */
export function changesOf(row: Sentence, t: TFunction): FieldChange[] {
  const { before, after } = row.changes as { before?: Record<string, unknown>; after?: Record<string, unknown> };
  if (before === undefined || after === undefined || commandOf(row) !== null) return [];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => name !== '…')
    .map((name) => ({
      field: labelOf(name, t),
      before: name in before ? valueOf(name, before[name], row, t) : null,
      after: name in after ? valueOf(name, after[name], row, t) : null,
    }));
}

const cut = (text: string): string => (text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text);

export function changeText({ field, before, after }: FieldChange, t: TFunction): string {
  if (before === null) return t('platform:audit.set', { field, after: cut(after ?? '') });
  if (after === null) return t('platform:audit.gone', { field, before: cut(before) });
  return t('platform:audit.from', { field, before: cut(before), after: cut(after) });
}

/** The name that the thing had; the number of one that nobody could name. */
export function thingOf(row: Sentence, t: TFunction): string {
  if (row.thing !== '') return row.thing;
  const id = Object.values(row.ids)[0];
  return id === undefined ? '' : t('platform:audit.unnamed', { id: String(id) });
}

/** With whom a gateway was shared; empty for rows that are about nobody else. */
function sharerOf({ operation, ids, things, changes }: Sentence, t: TFunction): string {
  if (operation === 'putShare') return typeof changes.user_name === 'string' ? changes.user_name : '';
  if (operation !== 'deleteShare' || ids.user_id === undefined) return '';
  return things.user?.[String(ids.user_id)] ?? t('platform:audit.unnamed', { id: String(ids.user_id) });
}

/** An operation that did not come about: as an attempt, by its name, so that nobody takes it for done. */
function attemptOf(row: Sentence, who: string, thing: string, t: TFunction): string {
  const { operation, method, path, status } = row;
  const name = isKnown(operation) ? t(`platform:operation.${operation}`) : operation || `${method} ${path}`;
  const value = commandOf(row)?.wanted ?? '';
  const parts = [thing, sharerOf(row, t), value === '' ? '' : t('platform:audit.commandValue', { value })].filter(
    (part) => part !== '',
  );
  const about = parts.length === 0 ? '' : t('platform:audit.about', { about: parts.join(t('platform:audit.comma')) });
  return t(status >= 400 && status < 500 ? 'platform:audit.attemptRefused' : 'platform:audit.attemptFailed', {
    who,
    operation: name,
    about,
  });
}

/** Who did what to which thing with which value, such as: Li changed data points of “Pump 1”: upper limit from 5 to 7. */
export function sentenceOf(row: Sentence, t: TFunction): string {
  const who = row.user_name || t('platform:audit.anybody');
  const { operation, method, path } = row;
  const thing = thingOf(row, t);
  if (row.result === 'failed') return attemptOf(row, who, thing, t);
  const params = { thing, user: sharerOf(row, t) };
  const did = isKnown(operation)
    ? t(`platform:sentence.${operation}`, params).replace(/[:\uff1a]?\s*(“”|"")/g, '')
    : operation || `${method} ${path}`;
  const changed = changesOf(row, t).filter(({ before, after }) => before !== null && after !== null);
  const parts = changed.slice(0, MAX_IN_SENTENCE).map((change) => changeText(change, t));
  if (changed.length > MAX_IN_SENTENCE)
    parts.push(t('platform:audit.more', { count: changed.length - MAX_IN_SENTENCE }));
  const value = commandOf(row)?.wanted ?? '';
  if (value !== '') parts.push(t('platform:audit.commandValue', { value }));
  return `${who} ${did}${parts.length === 0 ? '' : `${t('platform:audit.colon')}${parts.join(t('platform:audit.comma'))}`}`;
}

/** Where the thing of a row is found; null where nothing is opened, or it is gone by this very row. */
export function placeOf({
  ids,
  operation,
  things,
}: Pick<AuditRow, 'ids' | 'operation' | 'things'>): { path: string; search: Record<string, string> } | null {
  const id = (name: string): string => String(ids[name] ?? '');
  if (id('device_id') !== '' && operation !== 'deleteDevice')
    return { path: '/deviceDetail/index', search: { device_id: id('device_id') } };
  if (id('user_id') !== '' && operation !== 'deleteUser')
    return { path: '/user/authuser', search: { search: things.user?.[id('user_id')] ?? '', edit: id('user_id') } };
  if (id('project_id') !== '' && operation !== 'deleteProject')
    return { path: '/group/index', search: { node: id('project_id') } };
  return null;
}

const REASONS: ReadonlySet<string> = new Set(['10001', '10002', '10010', '20000', '404', '409', '429']);

/** Why the cloud refused, null when it did not. */
export function refusalOf({ status, code }: Pick<AuditRow, 'status' | 'code'>, t: TFunction): string | null {
  if (status < 400 || status >= 500) return null;
  const known =
    [String(code), String(status)].find((each) => REASONS.has(each) && each !== '20000') ??
    (code === 20000 ? '20000' : undefined);
  return known === undefined
    ? t('platform:audit.refused')
    : t('platform:audit.refusedAs', { reason: t(`platform:auditReason.${known}`) });
}
