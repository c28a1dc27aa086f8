import { nameOf, newPoint, withField } from '@/blocks/points/point';
import type { Fields, Point } from '@/blocks/points/point';
import type { PointBatchBody } from '../api';

/** Made of others, or of the place in which a row stands. */
const DERIVED = new Set(['bit_enable', 'slave']);

export function pointsOf(rows: readonly Fields[]): Point[] {
  return rows.map((row) => {
    const fields = Object.fromEntries(Object.entries(row).filter(([name]) => !DERIVED.has(name)));
    return newPoint(fields, String(row.ds_name ?? ''));
  });
}

/** Fields that differ, with null for one that is gone. */
export function changedFields(before: Fields, after: Fields): Record<string, unknown> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed: Record<string, unknown> = {};
  for (const name of names) {
    if (!same(before[name], after[name])) changed[name] = after[name] ?? null;
  }
  return changed;
}

function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  return typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b);
}

/** Do these say the same, row by row? */
export function isSame(a: readonly Point[], b: readonly Point[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ fields }, at) => Object.keys(changedFields(fields, b[at]?.fields ?? {})).length === 0)
  );
}

/** Are these the rows that they were made of? */
export function isUnchanged(before: readonly Point[], after: readonly Point[]): boolean {
  return (
    before.length === after.length &&
    before.every((row, at) => row === after[at] || (row.key === after[at]?.key && isSame([row], [after[at]])))
  );
}

/** The rows of the cloud, each with the key of the row of that name in the sheet. */
export function withKeysOf(sheet: readonly Point[], rows: readonly Point[]): Point[] {
  const keys = new Map(sheet.map((point) => [nameOf(point), point.key]));
  return rows.map((point) => ({ ...point, key: keys.get(nameOf(point)) ?? point.key }));
}

/** The rows by the names under which the cloud has them now: undo brings back rows as they were before a saving. */
export function knownBy(original: readonly Point[], rows: readonly Point[]): readonly Point[] {
  const names = new Map(original.map(({ key, was }) => [key, was]));
  const isKnown = ({ key, was }: Point): boolean => was === (names.get(key) ?? null);
  return rows.every(isKnown)
    ? rows
    : rows.map((point) => (isKnown(point) ? point : { ...point, was: names.get(point.key) ?? null }));
}

/** Fields without those that only say a default, unless they were said before. */
export function withoutDefaults(fields: Fields, defaults: Fields, before: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) =>
        value !== undefined && value !== '' && (value !== defaults[name] || before[name] !== undefined),
    ),
  );
}

export interface Changes {
  added: PointBatchBody['added'] & {};
  changed: PointBatchBody['changed'] & {};
  removed: PointBatchBody['removed'] & {};
}

/** What has to be sent so that the cloud has these rows. */
export function changesOf(slave: string, before: readonly Point[], after: readonly Point[]): Changes {
  const known = new Map(before.map((point) => [point.was, point]));
  const names = new Set(after.map(({ was }) => was));
  const changes: Changes = { added: [], changed: [], removed: [] };
  after.forEach((point, at) => {
    const original = point.was === null ? undefined : known.get(point.was);
    if (original === undefined) {
      const above = after[at - 1];
      const place = above === undefined ? {} : { after: above.was ?? nameOf(above) };
      changes.added.push({ ...point.fields, slave, ...place });
      return;
    }
    if (original === point) return;
    const fields = changedFields(original.fields, point.fields);
    if (Object.keys(fields).length > 0) changes.changed.push({ slave, ds_name: String(point.was), fields });
  });
  for (const { was } of before) {
    if (was !== null && !names.has(was)) changes.removed.push({ slave, ds_name: was });
  }
  return changes;
}

export function countOf({ added, changed, removed }: Changes): number {
  return added.length + changed.length + removed.length;
}

/** The same changes on rows that somebody else has changed meanwhile: field by field, so that both stay. */
export function onTop(changes: Changes, rows: readonly Point[]): Point[] {
  const changed = new Map(changes.changed.map((change) => [change.ds_name, change.fields as Fields]));
  const removed = new Set(changes.removed.map(({ ds_name }) => ds_name));
  const made = rows
    .filter(({ was }) => was === null || !removed.has(was))
    .map((point) =>
      Object.entries(changed.get(point.was ?? '') ?? {}).reduce(
        (sum, [name, value]) => withField(sum, name, value ?? undefined),
        point,
      ),
    );
  for (const row of changes.added) {
    const { after, slave: _slave, ...fields } = row as Record<string, unknown>;
    const at = made.findIndex((point) => point.was === after || nameOf(point) === after);
    made.splice(at < 0 ? made.length : at + 1, 0, newPoint(fields));
  }
  return made;
}
