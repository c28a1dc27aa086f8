import type { Choice } from '@/components/AsyncPicker';
import type { TriggerBody, TriggerRow, TriggerRuleBody } from './api';

/** Types of conditions (specification 001, section 3). */
export const COMPARISON = '1';
export const UNCHANGED = '2';
export const CHANGE = '3';
export const TREND = '4';
export const NOT_CONNECTED = '5';
export const SCRIPT = '6';
export const CONDITION_TYPES = [COMPARISON, UNCHANGED, CHANGE, TREND, NOT_CONNECTED, SCRIPT] as const;

/** trigger_optype: the last two compare with a range. */
export const OPERATORS = ['1', '2', '3', '4', '5', '6', '7'] as const;
const RANGES: ReadonlySet<string> = new Set(['6', '7']);
/** Of two limits, one each: a hold with the right of it, and where it clears has no place at 'equal'. */
const EQUAL = '5';

type Typed = number | string;

/** What the form of a condition holds; the numbers are as they are typed, and only those of its type are sent. */
export type ConditionDraft = {
  key: string;
  type: string;
  device: Choice | null;
  /** Number of the point, of type NOT_CONNECTED that of the slave. */
  subject: string | null;
  op: string;
  threshold: Typed;
  low: Typed;
  high: Typed;
  deadband: Typed;
  duration_s: Typed;
  magnitude: Typed;
  direction: string;
  count: Typed;
};

export type LinkageDraft = { key: string; on: string; device: Choice | null; preset: string | null };

export type RuleDraft = {
  key: string;
  /** null: a new one. */
  id: number | null;
  title: string;
  logic: string;
  delay_s: Typed;
  off_delay_s: Typed;
  again_min: Typed;
  alarm_notify: boolean;
  alarm_type: string;
  level: number | null;
  latched: boolean;
  /** Contact groups that are told; none: every group that it fits. */
  groups: Choice[];
  conditions: ConditionDraft[];
  linkage: LinkageDraft[];
};

export type Draft = {
  title: string;
  type: string;
  interval_s: Typed;
  enabled: boolean;
  rules: RuleDraft[];
};

let drawn = 0;
/** Rows of the form keep their inputs when one before them goes. */
const key = (): string => `row-${(drawn += 1)}`;

export function newCondition(device: Choice | null = null): ConditionDraft {
  return {
    key: key(),
    type: COMPARISON,
    device,
    subject: null,
    op: '1',
    threshold: '',
    low: '',
    high: '',
    deadband: 0,
    duration_s: 600,
    magnitude: '',
    direction: 'up',
    count: 3,
  };
}

export function newRule(title = '', device: Choice | null = null): RuleDraft {
  return {
    key: key(),
    id: null,
    title,
    logic: '1',
    delay_s: 0,
    off_delay_s: 0,
    again_min: 0,
    alarm_notify: true,
    alarm_type: '1',
    level: null,
    latched: false,
    groups: [],
    conditions: [newCondition(device)],
    linkage: [],
  };
}

export function newLinkage(device: Choice | null = null): LinkageDraft {
  return { key: key(), on: 'raised', device, preset: null };
}

export function emptyDraft(): Draft {
  return { title: '', type: '1', interval_s: 60, enabled: true, rules: [newRule()] };
}

export const isRange = (op: string): boolean => RANGES.has(op);
export const hasDeadband = ({ type, op }: ConditionDraft): boolean =>
  type === UNCHANGED || (type === COMPARISON && op !== EQUAL);

/** The form of a trigger. */
export function draftOf(row: TriggerRow): Draft {
  const gateways = new Map(
    row.presets.map(({ id, device_id, device_title }): [number, Choice] => [
      id,
      { value: String(device_id), label: device_title },
    ]),
  );
  return {
    title: row.title,
    type: String(row.type),
    interval_s: row.interval_s === 0 ? 60 : row.interval_s,
    enabled: row.enabled,
    rules: row.rules.map((rule) => ({
      key: key(),
      id: rule.id ?? null,
      title: rule.title,
      logic: String(rule.logic ?? 1),
      delay_s: rule.delay_s ?? 0,
      off_delay_s: rule.off_delay_s ?? 0,
      again_min: (rule.again_s ?? 0) / 60,
      alarm_notify: rule.alarm_notify ?? true,
      alarm_type: String(rule.alarm_type ?? 1),
      level: rule.level ?? null,
      latched: rule.latched ?? false,
      groups: (rule.groups ?? []).map((id) => ({
        value: String(id),
        label: row.groups.find((group) => group.id === id)?.title ?? `#${id}`,
      })),
      conditions: rule.conditions.map((condition) => conditionDraft(condition, row)),
      linkage: (rule.linkage ?? []).map(({ on = 'raised', preset_id }) => ({
        key: key(),
        on,
        device: gateways.get(preset_id) ?? null,
        preset: String(preset_id),
      })),
    })),
  };
}

type Condition = TriggerRuleBody['conditions'][number];

function conditionDraft(condition: Condition, { subjects }: TriggerRow): ConditionDraft {
  const subject = condition.type === 5 ? condition.slave_id : condition.dsid;
  const found = subjects.find((one) => (condition.type === 5 ? one.slave_id : one.dsid) === subject);
  const draft = newCondition(
    found === undefined ? null : { value: String(found.device_id), label: found.device_title },
  );
  const common = { ...draft, type: String(condition.type), subject: String(subject) };
  switch (condition.type) {
    case 1: {
      const limits = condition.trigger_threshold;
      return {
        ...common,
        op: String(condition.trigger_optype),
        threshold: typeof limits === 'number' ? limits : '',
        low: typeof limits === 'object' ? limits.lolmt : '',
        high: typeof limits === 'object' ? limits.uplmt : '',
        deadband: condition.deadband ?? 0,
      };
    }
    case 2:
      return { ...common, duration_s: condition.duration_s, deadband: condition.deadband ?? 0 };
    case 3:
      return { ...common, magnitude: condition.magnitude };
    case 4:
      return {
        ...common,
        direction: condition.direction,
        count: condition.count ?? 3,
        magnitude: condition.magnitude ?? 0,
      };
    default:
      return common;
  }
}

export function bodyOf({ title, type, interval_s, enabled, rules }: Draft): TriggerBody {
  const subjects = new Set(
    rules.flatMap(({ conditions }) => conditions.map((one) => `${one.type === NOT_CONNECTED}:${one.subject}`)),
  );
  return {
    title,
    type: type === '2' ? 2 : 1,
    mode: subjects.size > 1 ? 2 : 1,
    interval_s: type === '2' ? Number(interval_s) : 0,
    enabled,
    rules: rules.map(ruleBody),
  };
}

export function ruleBody(rule: RuleDraft): TriggerRuleBody {
  return {
    ...(rule.id === null ? {} : { id: rule.id }),
    title: rule.title,
    logic: rule.logic === '2' ? 2 : 1,
    delay_s: Number(rule.delay_s),
    off_delay_s: Number(rule.off_delay_s),
    again_s: Math.round(Number(rule.again_min) * 60),
    alarm_notify: rule.alarm_notify,
    alarm_type: Number(rule.alarm_type),
    level: rule.level,
    latched: rule.latched,
    groups: rule.groups.map(({ value }) => Number(value)),
    conditions: rule.conditions.map(conditionBody),
    linkage: rule.linkage.map(({ on, preset }) => ({
      on: on === 'cleared' ? 'cleared' : 'raised',
      preset_id: Number(preset),
    })),
  };
}

function conditionBody(draft: ConditionDraft): Condition {
  const subject = Number(draft.subject);
  const deadband = hasDeadband(draft) ? Number(draft.deadband) : 0;
  switch (draft.type) {
    case UNCHANGED:
      return { type: 2, dsid: subject, duration_s: Number(draft.duration_s), deadband };
    case CHANGE:
      return { type: 3, dsid: subject, magnitude: Number(draft.magnitude) };
    case TREND:
      return {
        type: 4,
        dsid: subject,
        direction: draft.direction === 'down' ? 'down' : 'up',
        count: Number(draft.count),
        magnitude: Number(draft.magnitude),
      };
    case NOT_CONNECTED:
      return { type: 5, slave_id: subject };
    case SCRIPT:
      return { type: 6, dsid: subject };
    default:
      return {
        type: 1,
        dsid: subject,
        trigger_optype: Number(draft.op) as 1 | 2 | 3 | 4 | 5 | 6 | 7,
        trigger_threshold: isRange(draft.op)
          ? { lolmt: Number(draft.low), uplmt: Number(draft.high) }
          : Number(draft.threshold),
        deadband,
      };
  }
}

const CONDITION_NAMES: Readonly<Record<string, keyof ConditionDraft>> = {
  dsid: 'subject',
  slave_id: 'subject',
  trigger_optype: 'op',
  'trigger_threshold.lolmt': 'low',
  'trigger_threshold.uplmt': 'high',
  type: 'type',
  deadband: 'deadband',
  duration_s: 'duration_s',
  magnitude: 'magnitude',
  direction: 'direction',
  count: 'count',
};
const RULE_NAMES: Readonly<Record<string, keyof RuleDraft>> = {
  title: 'title',
  logic: 'logic',
  delay_s: 'delay_s',
  off_delay_s: 'off_delay_s',
  again_s: 'again_min',
  alarm_type: 'alarm_type',
  level: 'alarm_type',
};
const OWN_NAMES: ReadonlySet<string> = new Set(['title', 'type', 'interval_s']);

/** Where the form has a field of the API; null for one that it has no input for. */
export function formPath(path: string, { rules }: Draft): string | null {
  if (OWN_NAMES.has(path)) return path;
  const [, at = '', rest = ''] = /^rules\.(\d+)\.(.+)$/.exec(path) ?? [];
  const rule = rules[Number(at)];
  if (rule === undefined || rest === '') return null;
  const [, place = '', name = ''] = /^conditions\.(\d+)\.(.+)$/.exec(rest) ?? [];
  const condition = rule.conditions[Number(place)];
  if (name !== '' && condition !== undefined) {
    const threshold = isRange(condition.op) ? 'low' : 'threshold';
    const known = name === 'trigger_threshold' ? threshold : CONDITION_NAMES[name];
    return known === undefined ? null : `rules.${at}.conditions.${place}.${known}`;
  }
  const [, linkage] = /^linkage\.(\d+)\.preset_id$/.exec(rest) ?? [];
  if (linkage !== undefined) return `rules.${at}.linkage.${linkage}.preset`;
  const known = RULE_NAMES[rest];
  return known === undefined ? null : `rules.${at}.${known}`;
}

/** Beyond it the cloud takes no number. */
const MAX_MAGNITUDE = 1e15;

/** What is wrong by path, as the form names its fields: nothing there, no number, or a range turned round. */
export function problems(draft: Draft): Record<string, 'needed' | 'number' | 'order'> {
  const wrong: Record<string, 'needed' | 'number' | 'order'> = {};
  draft.rules.forEach((rule, at) =>
    rule.conditions.forEach((condition, place) => {
      const path = `rules.${at}.conditions.${place}`;
      for (const name of neededOf(condition))
        if (!(Math.abs(Number(condition[name])) <= MAX_MAGNITUDE)) wrong[`${path}.${name}`] = 'number';
      if (condition.type === COMPARISON && isRange(condition.op) && Number(condition.low) > Number(condition.high))
        wrong[`${path}.high`] = 'order';
    }),
  );
  for (const path of missing(draft)) wrong[path] = 'needed';
  return wrong;
}

/** Path of each empty field that its row needs, as the form names them. */
export function missing({ title, type, interval_s, rules }: Draft): string[] {
  const empty = (value: unknown): boolean => value === null || String(value).trim() === '';
  const paths: string[] = [];
  if (empty(title)) paths.push('title');
  if (type === '2' && empty(interval_s)) paths.push('interval_s');
  rules.forEach((rule, at) => {
    if (empty(rule.title)) paths.push(`rules.${at}.title`);
    for (const name of ['delay_s', 'off_delay_s', 'again_min'] as const)
      if (empty(rule[name])) paths.push(`rules.${at}.${name}`);
    rule.conditions.forEach((condition, place) => {
      const needed = ['subject' as const, ...neededOf(condition)];
      for (const name of needed) if (empty(condition[name])) paths.push(`rules.${at}.conditions.${place}.${name}`);
    });
    rule.linkage.forEach((linkage, place) => {
      if (empty(linkage.preset)) paths.push(`rules.${at}.linkage.${place}.preset`);
    });
  });
  return paths;
}

type NumberName = 'threshold' | 'low' | 'high' | 'deadband' | 'duration_s' | 'magnitude' | 'count';

function neededOf(condition: ConditionDraft): readonly NumberName[] {
  const deadband: readonly NumberName[] = hasDeadband(condition) ? ['deadband'] : [];
  switch (condition.type) {
    case COMPARISON:
      return isRange(condition.op) ? ['low', 'high', ...deadband] : ['threshold', ...deadband];
    case UNCHANGED:
      return ['duration_s', ...deadband];
    case CHANGE:
      return ['magnitude'];
    case TREND:
      return ['count', 'magnitude'];
    default:
      return [];
  }
}
