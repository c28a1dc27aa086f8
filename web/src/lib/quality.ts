export type PointValue = number | boolean | string | null;

/** Quality numbers of the contract between gateway and cloud. */
export const QUALITY = [
  'good',
  'notYetRead',
  'stale',
  'badFrame',
  'outOfRange',
  'deviceOffline',
  'deviceError',
  'portDown',
  'uncertainTime',
] as const;

export type Quality = (typeof QUALITY)[number];
/** What the portal shows: a quality, or why there is nothing to judge. */
export type Trust = Quality | 'none' | 'gatewayOffline' | 'cut' | 'portLent' | 'unknown';
export type Tone = 'ok' | 'warn' | 'bad' | 'off';

export interface LastValue {
  t_ms: number;
  value: PointValue;
  quality: number;
  /** When the value was last another one; null when nobody saw that, undefined when it was not told. */
  changed_ms?: number | null;
  /** The last value that it had, while it has none. */
  held?: PointValue;
}

const UNCERTAIN_TIME = QUALITY.indexOf('uncertainTime');

/** Whether a known value stays when another comes. One whose time is in doubt gives way: it may be of the future. */
export function stays(known: LastValue, next: LastValue): boolean {
  return known.t_ms > next.t_ms && known.quality !== UNCERTAIN_TIME;
}

export interface Freshness {
  /** 0: it is read on demand only. */
  period_ms: number;
  /** Record mode of the point: 0 not stored, 1 every reading is sent, 2 only changes are. */
  record: number;
}

const STALE_PERIODS = 3;
/** What a fresh value takes to get here: the gateway's commit interval, the link, a second of the clocks. */
const UNDER_WAY_MS = 5_000;
/** A gateway says at least this often how it is. */
const PULSE_MS = 30_000;
export const EVERY_READING = 1;

/** How long nothing may speak for a value: it itself when every reading is sent, else its gateway. reportMs: the gateway's report interval. */
export function staleAfterMs(periodMs: number, record: number, reportMs = 0): number {
  return STALE_PERIODS * periodMs + UNDER_WAY_MS + (record === EVERY_READING ? 0 : PULSE_MS) + reportMs;
}

/** Who can speak for a value: the gateway to the cloud, and the cloud to this page. */
export interface Contact {
  gatewayOnline: boolean;
  /** When the cloud heard the gateway last, 0 for never. */
  heardMs: number;
  cut: boolean;
  /** The gateway's report interval; 0: it sends at once. */
  reportMs?: number;
}

/** What a gateway's link tells of its values. */
export interface KnownLink {
  online: boolean;
  back_ms?: number | null;
  report_interval_s?: number;
}

/** Whether a gateway's values count: it is connected, or asleep until its next report. */
export function countsAsOnline({ online, back_ms }: KnownLink): boolean {
  return online || typeof back_ms === 'number';
}

export function reportMsOf({ report_interval_s }: KnownLink): number {
  return (report_interval_s ?? 0) * 1000;
}

/** How far a value can be trusted now: the rule of the contract (C-063), for every type and record mode. */
export function trust(
  last: LastValue | undefined,
  fresh: Freshness,
  nowMs: number,
  { gatewayOnline, heardMs, cut, reportMs = 0 }: Contact,
): Trust {
  if (last === undefined) return 'none';
  if (!gatewayOnline && !cut && last.value === null) return 'gatewayOffline'; // the cloud has cleared it
  const quality = QUALITY[last.quality] ?? 'unknown';
  if (quality !== 'good' && quality !== 'uncertainTime') return quality;
  if (cut) return 'cut';
  if (!gatewayOnline) return 'gatewayOffline';
  const spokenMs = fresh.record === EVERY_READING ? last.t_ms : Math.max(last.t_ms, heardMs);
  if (fresh.period_ms > 0 && nowMs - spokenMs > staleAfterMs(fresh.period_ms, fresh.record, reportMs)) return 'stale';
  return quality;
}

const TONES: Record<Trust, Tone> = {
  good: 'ok',
  uncertainTime: 'warn',
  stale: 'warn',
  notYetRead: 'off',
  none: 'off',
  badFrame: 'bad',
  outOfRange: 'bad',
  deviceOffline: 'bad',
  deviceError: 'bad',
  portDown: 'bad',
  portLent: 'warn',
  gatewayOffline: 'off',
  cut: 'off',
  unknown: 'bad',
};

export function toneOf(state: Trust): Tone {
  return TONES[state];
}

/** What a slave's port that is lent explains: the value is old because nobody asks for it. */
const OLD: ReadonlySet<Trust> = new Set(['stale', 'deviceOffline', 'portDown', 'notYetRead']);

export function explained(state: Trust, locked: boolean): Trust {
  return locked && OLD.has(state) ? 'portLent' : state;
}

export type LimitSide = 'high' | 'low' | null;

/** Which limit a number breaks. */
export function brokenLimit(value: PointValue, min: number | null, max: number | null): LimitSide {
  if (typeof value !== 'number') return null;
  if (max !== null && value > max) return 'high';
  if (min !== null && value < min) return 'low';
  return null;
}
