import { ApiError } from '@/api/errors';

/** Status of an alarm event. */
export const UNHANDLED = 0;
export const HANDLED = 1;
export const FALSE_ALARM = 2;
export type Handling = typeof UNHANDLED | typeof HANDLED | typeof FALSE_ALARM;

/** Write a note and nothing else. */
export const NOTE = 'note';
export type Choice = Handling | typeof NOTE;

/** A note alone says something, and who opens an event again says why. */
export function needsNote(choice: Choice): boolean {
  return choice === NOTE || choice === UNHANDLED;
}

const WENT = 0;

/** Why something went; '' for what came back: the reason is of the outage that ended then. */
export function causeOf({ status, reason }: { status: number; reason: string }): string {
  return status === WENT ? reason : '';
}

/** Types that tell that something is well again. */
const RECOVERIES: ReadonlySet<number> = new Set([0, 3]);

export function isRecovery(alarmType: number): boolean {
  return RECOVERIES.has(alarmType);
}

/** What an event can become: handled or a false alarm, and back; a recovery has nothing to handle. */
export function steps({ alarm_type, status }: { alarm_type: number; status: number }): readonly Handling[] {
  if (isRecovery(alarm_type)) return [];
  return status === UNHANDLED ? [HANDLED, FALSE_ALARM] : [UNHANDLED];
}

/** States of an alarm that lasts. */
const STANDING: ReadonlySet<string> = new Set([
  'unacknowledged',
  'acknowledged',
  'shelved',
  'suppressed',
  'out_of_service',
]);

interface Standing {
  state?: string;
  since_ms: number | null;
  recovered_ms: number | null;
}

/** Has its cause not ended yet? A recovery has none, and of some alarms nobody says when they end. */
export function isStanding({ state, recovered_ms }: Standing): boolean {
  return recovered_ms === null && STANDING.has(state ?? '');
}

/** How long an alarm lasted, or has until now; null when that is not known. */
export function lastedMs(row: Standing, now: number): number | null {
  if (row.since_ms === null) return null;
  if (row.recovered_ms !== null) return row.recovered_ms - row.since_ms;
  return isStanding(row) ? now - row.since_ms : null;
}

export interface Outcome {
  done: number;
  /** Handled before, gone, or not one's own to change. */
  skipped: number;
}

const AT_ONCE = 4;
/** Replies that speak of one event and not of all: refused, gone, no such step. */
const OF_ONE: ReadonlySet<number | null> = new Set([403, 404, 409]);

export function isOfOne(error: unknown): boolean {
  return error instanceof ApiError && OF_ONE.has(error.facts.status);
}

/** Do something to each of many events, a few at a time. What one refuses does not stop the others; any other failure does. */
export async function each(ids: readonly number[], act: (id: number) => Promise<unknown>): Promise<Outcome> {
  const left = [...ids];
  const outcome: Outcome = { done: 0, skipped: 0 };
  const work = async (): Promise<void> => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      try {
        await act(id);
        outcome.done += 1;
      } catch (error) {
        if (!isOfOne(error)) {
          left.length = 0;
          throw error;
        }
        outcome.skipped += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return outcome;
}
