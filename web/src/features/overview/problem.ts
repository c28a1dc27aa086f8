import type { Tone } from '@/lib/quality';
import type { Problem, Problems } from './api';

export interface Place {
  path: string;
  search: Record<string, string | number | undefined>;
}

const DETAIL = '/deviceDetail/index';

/** Tab of a device's page on which one acts; without one the page opens as always. */
const TAB: Readonly<Partial<Record<Problem['kind'], string>>> = {
  gateway_offline: 'info',
  no_slave_answers: 'slaves',
  slave_silent: 'slaves',
  store_full: 'completeness',
  samples_dropped: 'completeness',
  reads_missing: 'completeness',
  deployment_failed: 'configuration',
  deployment_on_trial: 'configuration',
  draft_waiting: 'configuration',
};

const UNHANDLED = 0;
/** An alarm may be open for longer than the week that the list shows by itself. */
const EVER = 'oneYear';

/** Where one acts. */
export function placeOf({ kind, device_id }: Pick<Problem, 'kind' | 'device_id'>): Place {
  if (kind === 'alarm_open')
    return { path: '/alarm/alarmlog', search: { device: device_id, status: UNHANDLED, range: EVER } };
  return { path: DETAIL, search: { device_id, tab: TAB[kind] } };
}

/** Lists of exactly what is counted. */
const LIST: Readonly<Partial<Record<Problem['kind'], Place>>> = {
  gateway_offline: { path: '/monitor/device', search: { status: 'away' } },
};

interface See extends Place {
  name: 'alarm_open' | 'deployment';
}

const DEPLOYMENTS: See = { name: 'deployment', path: '/device/deviceTask', search: {} };

/** Lists that hold it among others: their link has words of its own and claims no number. */
const AMONG: Readonly<Partial<Record<Problem['kind'], See>>> = {
  alarm_open: { name: 'alarm_open', path: '/alarm/alarmlog', search: { status: UNHANDLED, range: EVER } },
  deployment_failed: DEPLOYMENTS,
  deployment_on_trial: DEPLOYMENTS,
};

export interface More {
  kind: Problem['kind'];
  count: number;
  place: Place | undefined;
  see: See | undefined;
}

/** A row stands for so many of its kind. */
function weight({ kind, count = 0 }: Problem): number {
  return kind === 'no_slave_answers' ? count : 1;
}

const counted = (kind: Problem['kind']): Problem['kind'] => (kind === 'no_slave_answers' ? 'slave_silent' : kind);

/** What there is besides the rows that are shown, by kind. */
export function moreOf({ counts }: Problems, listed: readonly Problem[]): readonly More[] {
  return counts
    .map(({ kind, total }) => ({
      kind,
      count: total - listed.filter((row) => counted(row.kind) === kind).reduce((sum, row) => sum + weight(row), 0),
      place: LIST[kind],
      see: AMONG[kind],
    }))
    .filter(({ count }) => count > 0);
}

export const TONE: Readonly<Record<Problem['severity'], Tone>> = { danger: 'bad', warning: 'warn', info: 'off' };
