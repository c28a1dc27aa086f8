import { staleAfterMs } from '@/lib/quality';
import type { LastValue } from '@/lib/quality';
import type { DataSource } from './api';

/** Points watched for a slave, or for a gateway: enough that one of them is always fresh. */
const WATCHED = 5;
const EVERY_TIME = 1;
const GOOD = 0;
/** What a gateway tells of a slave is at most this old: a pulse is told every 30 s, and asked for every 10 s. */
const REPORTED_WITHIN_MS = 60_000;

type Point = Pick<DataSource, 'dsid' | 'slave' | 'rw' | 'record' | 'period_ms' | 'ds_type'>;

/** Points whose value is an answer of the slave, or of any slave: not what is only written, nor what is calculated. */
function answersOf(sources: readonly Point[], slave: string | undefined): Point[] {
  return sources.filter(
    (one) => (slave === undefined || one.slave === slave) && one.rw !== 'writeonly' && one.ds_type !== 'cal',
  );
}

/** The points that tell soonest that a slave is alive: those sent every time, the fastest first, then the others. */
export function tellingPoints(sources: readonly Point[], slave?: string): number[] {
  const silent = ({ record }: Point): number => (record === EVERY_TIME ? 0 : 1);
  return answersOf(sources, slave)
    .toSorted((a, b) => silent(a) - silent(b) || a.period_ms - b.period_ms)
    .slice(0, WATCHED)
    .map(({ dsid }) => dsid);
}

/** How old the newest value of a slave gets while it answers; null when its answers are not all sent, because values stayed as they were. */
export function reportIntervalMs(sources: readonly Point[], slave: string): number | null {
  const points = answersOf(sources, slave);
  const fastest = Math.min(...points.map(({ period_ms }) => period_ms));
  return points.some(({ record, period_ms }) => record === EVERY_TIME && period_ms === fastest)
    ? staleAfterMs(fastest, EVERY_TIME)
    : null;
}

/** When the newest of the values that are known of a slave was measured, 0 for none. */
export function measuredMs(sources: readonly Point[], last: ReadonlyMap<number, LastValue>, slave: string): number {
  const times = answersOf(sources, slave)
    .map(({ dsid }) => last.get(dsid))
    .filter((one) => one?.quality === GOOD);
  return Math.max(0, ...times.map((one) => one?.t_ms ?? 0));
}

/**
 * Is an age only that of the last word about a slave which answers? Then it grows and jumps with those words, and says nothing about
 * the slave. toldMs: how old its values get, by toldEveryMs.
 */
export function isOfTheWord(ageMs: number, answering: boolean, reportMs: number | null): boolean {
  return answering && ageMs < REPORTED_WITHIN_MS && (reportMs === null || ageMs > reportMs);
}
