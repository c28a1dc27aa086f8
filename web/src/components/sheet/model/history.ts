import type { Change } from '../types';
import { inverse } from './change';

const MAX_STEPS = 100;

/** Steps that can be taken back, the newest last, and those that can be done again, the next one last. */
export interface History<Row> {
  done: readonly Change<Row>[];
  undone: readonly Change<Row>[];
}

export function emptyHistory<Row>(): History<Row> {
  return { done: [], undone: [] };
}

/** After a new step nothing can be done again; the oldest of more than 100 steps is forgotten. */
export function remembered<Row>(history: History<Row>, change: Change<Row>): History<Row> {
  return { done: [...history.done, change].slice(-MAX_STEPS), undone: [] };
}

export interface Step<Row> {
  history: History<Row>;
  /** To apply to the rows. */
  change: Change<Row>;
}

export function undo<Row>({ done, undone }: History<Row>): Step<Row> | null {
  const last = done.at(-1);
  if (last === undefined) return null;
  return { history: { done: done.slice(0, -1), undone: [...undone, last] }, change: inverse(last) };
}

export function redo<Row>({ done, undone }: History<Row>): Step<Row> | null {
  const next = undone.at(-1);
  if (next === undefined) return null;
  return { history: { done: [...done, next], undone: undone.slice(0, -1) }, change: next };
}
