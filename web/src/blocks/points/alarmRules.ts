import type { Cell, Fields } from './point';

const MAX_DELAY_S = 86_400;
const DELAYS = ['alarm_delay_s', 'alarm_off_delay_s'];
const INNER = ['alarm_lower', 'alarm_upper'] as const;
const OUTER = ['alarm_lower2', 'alarm_upper2'] as const;

/** Faults of alarm fields with which the cloud does not keep a point: settings hold at once. */
export const ALARM_CODES: ReadonlySet<string> = new Set([
  'range',
  'negative',
  'required',
  'no_alarm',
  'no_limit',
  'limit_order',
  'outer_lower',
  'outer_upper',
  'wide_deadband',
]);

interface Limits {
  lowField: string;
  low: number | null;
  high: number | null;
}

const number = (row: Fields, name: string): number | null => (typeof row[name] === 'number' ? row[name] : null);

/** Faults of a point's alarm settings, as the cloud's alarm_rules.py. What is set must be in order, on or not. */
export function alarmFaults(row: Fields): Cell[] {
  const kind = String(row.ds_type ?? 'num');
  const enabled = row.alarm_enable === true;
  const cells: Cell[] = DELAYS.flatMap((name) => ranged(row, name, MAX_DELAY_S));
  if (enabled && (kind === 'str' || kind === 'loc')) return [...cells, { field: 'alarm_enable', code: 'no_alarm' }];
  if (kind !== 'swh') return [...cells, ...limitFaults(row, enabled)];
  cells.push(...ranged(row, 'alarm_state', 1));
  if (enabled && number(row, 'alarm_state') === null) cells.push({ field: 'alarm_state', code: 'required' });
  return cells;
}

function limitFaults(row: Fields, enabled: boolean): Cell[] {
  const cells: Cell[] = [];
  const mode = String(row.alarm_mode ?? 'single');
  const pairs = mode === 'multi' ? [INNER, OUTER] : mode === 'single' ? [INNER] : [];
  const limits = pairs.map(([low, high]): Limits => ({
    lowField: low,
    low: number(row, low),
    high: number(row, high),
  }));
  if (enabled && limits.every(({ low, high }) => low === null && high === null))
    cells.push({ field: 'alarm_enable', code: 'no_limit' });
  const lowers = limits.flatMap(({ lowField, low }) => (low === null ? [] : [{ lowField, low }]));
  const uppers = limits.flatMap(({ high }) => (high === null ? [] : [high]));
  const highest = lowers.reduce<(typeof lowers)[number] | null>(
    (best, each) => (best === null || each.low >= best.low ? each : best),
    null,
  );
  if (highest !== null && uppers.length > 0 && highest.low >= Math.min(...uppers))
    cells.push({ field: highest.lowField, code: 'limit_order' });
  const [inner, outer] = limits;
  if (inner && outer) cells.push(...levelFaults(inner, outer));
  const deadband = number(row, 'alarm_deadband') ?? 0;
  if (deadband < 0) cells.push({ field: 'alarm_deadband', code: 'negative' });
  else if (limits.some(({ low, high }) => low !== null && high !== null && high > low && 2 * deadband > high - low))
    cells.push({ field: 'alarm_deadband', code: 'wide_deadband' });
  return cells;
}

function levelFaults(inner: Limits, outer: Limits): Cell[] {
  const cells: Cell[] = [];
  if (inner.low !== null && outer.low !== null && outer.low > inner.low)
    cells.push({ field: 'alarm_lower2', code: 'outer_lower' });
  if (inner.high !== null && outer.high !== null && outer.high < inner.high)
    cells.push({ field: 'alarm_upper2', code: 'outer_upper' });
  return cells;
}

function ranged(row: Fields, name: string, max: number): Cell[] {
  const value = number(row, name);
  return value !== null && (value < 0 || value > max) ? [{ field: name, code: 'range', args: { min: 0, max } }] : [];
}
