import type { DataSource } from './api';

/** Points watched for a slave, or for a gateway: enough that one of them is always fresh. */
const WATCHED = 5;

type Point = Pick<DataSource, 'dsid' | 'slave' | 'rw' | 'record' | 'period_ms' | 'ds_type'>;

/** The points that tell soonest that a slave is alive: measured and sent every time, the fastest first. */
export function tellingPoints(sources: readonly Point[], slave?: string): number[] {
  return sources
    .filter((one) => (slave === undefined || one.slave === slave) && one.rw !== 'writeonly' && one.record === 1 && one.ds_type !== 'cal')
    .toSorted((a, b) => a.period_ms - b.period_ms)
    .slice(0, WATCHED)
    .map(({ dsid }) => dsid);
}
