import type { Filter } from '@/components/resource/filters';
import type { SearchValues } from '@/lib/screens';
import type { AlarmRow } from '@/api/generated/types.gen';
import { isRecovery } from './handling';

/** Tabs of the alarm centre. The first three list alarms; quiet: what is shelved, in maintenance or out of service. */
export const VIEWS = ['active', 'unhandled', 'history', 'report', 'quiet'] as const;
export type View = (typeof VIEWS)[number];
export type ListView = 'active' | 'unhandled' | 'history';

/** Parameters that only the history has: an address with one of them means it. */
const OF_HISTORY = ['status', 'range', 'start', 'end'] as const;

/** Which tab an address opens. */
export function viewOf(search: SearchValues): View {
  const named = VIEWS.find((view) => view === search.view);
  if (named !== undefined) return named;
  return OF_HISTORY.some((name) => search[name] !== undefined) ? 'history' : 'active';
}

/** Are repeats one row? As the address says, else in a flood. */
export function isGrouped(search: SearchValues, flood: boolean): boolean {
  return search.group === undefined ? flood : search.group === '1';
}

/** States by which the lists filter; those that are quiet have a tab of their own. */
export const STATES: Readonly<Record<ListView, readonly string[]>> = {
  active: ['unacknowledged', 'acknowledged', 'latched'],
  unhandled: ['unacknowledged', 'acknowledged', 'latched', 'returned', 'normal'],
  history: [
    'unacknowledged',
    'acknowledged',
    'latched',
    'returned',
    'normal',
    'shelved',
    'suppressed',
    'out_of_service',
  ],
};

/** Filters of a tab: the period and the handling are the history's. */
export function filtersOf(view: ListView, filters: readonly Filter[]): readonly Filter[] {
  if (view === 'history') return filters;
  return filters.filter((filter) => filter.kind !== 'range' && filter.name !== 'status');
}

const MAY_BE_ACKNOWLEDGED: ReadonlySet<string> = new Set([
  'unacknowledged',
  'returned',
  'latched',
  'shelved',
  'suppressed',
  'out_of_service',
]);

export function mayAcknowledge({ state, acked_ms }: Pick<AlarmRow, 'state' | 'acked_ms'>): boolean {
  return (acked_ms ?? null) === null && MAY_BE_ACKNOWLEDGED.has(state ?? '');
}

/** Type of a gateway's outage alarm. */
const OUTAGE = 4;

/** Alarms of a rule, and of outages. */
export function mayShelve({ alarm_type, rule_id }: Pick<AlarmRow, 'alarm_type' | 'rule_id'>): boolean {
  return !isRecovery(alarm_type) && ((rule_id ?? null) !== null || alarm_type === OUTAGE);
}

/** Are people told of it? Not of what is quiet, nor of what lies under a root cause. */
export function isAnnounced({ quiet, parent_id }: Pick<AlarmRow, 'quiet' | 'parent_id'>): boolean {
  return (quiet ?? '') === '' && (parent_id ?? null) === null;
}

/** trigger_optype of the two that hold below their limit. */
const BELOW: ReadonlySet<number> = new Set([3, 4]);

/** Limits of the condition that raised an alarm, as its chart shows them; null where it has none. */
export function limitsOf(reason: AlarmRow['reason']): { min: number | null; max: number | null } {
  const none = { min: null, max: null };
  const condition = reason?.condition as Record<string, unknown> | undefined;
  if (condition === undefined || condition.type !== 1) return none;
  const limit = condition.trigger_threshold;
  if (typeof limit === 'object' && limit !== null) {
    const { lolmt, uplmt } = limit as { lolmt?: unknown; uplmt?: unknown };
    return { min: typeof lolmt === 'number' ? lolmt : null, max: typeof uplmt === 'number' ? uplmt : null };
  }
  if (typeof limit !== 'number') return none;
  return BELOW.has(Number(condition.trigger_optype)) ? { min: limit, max: null } : { min: null, max: limit };
}
