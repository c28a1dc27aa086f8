import type { Change, Column, Patch, Placed, RowKey } from '../types';

/** A text for a cell; a row beyond the last one is a new row. */
export interface Entry {
  row: number;
  column: number;
  text: string;
}

export interface Refused {
  row: number;
  column: number;
  text: string;
  fault: string;
}

export interface Outcome<Row> {
  change: Change<Row>;
  /** Texts that their columns did not take. */
  refused: readonly Refused[];
  /** Texts that stand in their cells although they are wrong. */
  wrong: readonly Refused[];
  /** Cells that are fixed. */
  fixed: number;
  /** Texts for rows that could not be added. */
  beyond: number;
}

export interface Rules<Row> {
  rowKey: (row: Row) => RowKey;
  columns: readonly Column<Row>[];
  newRow?: ((copyOf: Row | null) => Row) | undefined;
  maxRows: number;
  words?: SwitchWords;
  /** Why no column of this kind takes such a text; null when one may. */
  faultOf: (column: Column<Row>, text: string) => string | null;
  /** Do wrong texts stay in the cells of columns that keep them? */
  keeps?: boolean;
}

export function isEmpty<Row>({ changed, added, removed }: Change<Row>): boolean {
  return changed.length + added.length + removed.length === 0;
}

/** The rows after a change; rows that it names and that are gone are left out. */
export function applied<Row>(
  rows: readonly Row[],
  { changed, added, removed }: Change<Row>,
  rowKey: (row: Row) => RowKey,
): Row[] {
  const after = new Map(changed.map((patch) => [patch.key, patch.after]));
  const gone = new Set(removed.map(({ row }) => rowKey(row)));
  const next: Row[] = [];
  for (const row of rows) {
    const key = rowKey(row);
    if (!gone.has(key)) next.push(after.size > 0 ? (after.get(key) ?? row) : row);
  }
  return added.length === 0 ? next : withAdded(next, added);
}

function withAdded<Row>(rows: readonly Row[], added: readonly Placed<Row>[]): Row[] {
  const next: Row[] = [];
  let taken = 0;
  for (const { at, row } of added) {
    while (next.length < at && taken < rows.length) next.push(rows[taken++] as Row);
    next.push(row);
  }
  while (taken < rows.length) next.push(rows[taken++] as Row);
  return next;
}

/** What takes a change back. */
export function inverse<Row>({ changed, added, removed }: Change<Row>): Change<Row> {
  return {
    changed: changed.map(({ key, before, after }) => ({ key, before: after, after: before })),
    added: removed,
    removed: added,
  };
}

const YES: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'on', 'y']);
const NO: ReadonlySet<string> = new Set(['', '0', 'false', 'no', 'off', 'n']);

/** Further words that a switch takes, in the user's language and in small letters. */
export interface SwitchWords {
  yes: ReadonlySet<string>;
  no: ReadonlySet<string>;
}

const NO_WORDS: SwitchWords = { yes: new Set(), no: new Set() };

/** A text in the form that its column writes: an option's value for its label, '1' or '0' of a switch. */
export function normal<Row>(column: Column<Row>, text: string, words = NO_WORDS): string {
  if (column.kind === 'text') return text;
  const short = text.trim();
  if (column.kind === 'switch') {
    const word = short.toLowerCase();
    return YES.has(word) || words.yes.has(word) ? '1' : NO.has(word) || words.no.has(word) ? '0' : short;
  }
  if (column.kind === 'select') {
    const options = column.options ?? [];
    const matched =
      options.find(({ value }) => value === short) ??
      options.find(({ label }) => label.toLowerCase() === short.toLowerCase());
    return matched?.value ?? short;
  }
  return short;
}

export function isFixed<Row>(column: Column<Row> | undefined, row: Row): boolean {
  return column?.write === undefined || column.readOnly?.(row) === true;
}

/** Is a cell only read? Of a row that is not there yet: can it not be written as a new one? */
export function isClosed<Row>(column: Column<Row> | undefined, row: Row | undefined, mayAdd: boolean): boolean {
  return row === undefined ? !mayAdd || column?.write === undefined || column.kind === 'switch' : isFixed(column, row);
}

/** Write texts into cells, row by row; several into one row add up. Nothing is written that a column refuses. */
export function entered<Row>(rows: readonly Row[], entries: Iterable<Entry>, rules: Rules<Row>): Outcome<Row> {
  const after = new Map<number, Row>();
  const added: Row[] = [];
  const refused: Refused[] = [];
  const wrong: Refused[] = [];
  let fixed = 0;
  let beyond = 0;
  const max = rules.newRow === undefined ? rows.length : Math.max(rows.length, rules.maxRows);
  for (const entry of entries) {
    const column = rules.columns[entry.column];
    if (column === undefined || entry.row >= max) {
      beyond += 1;
      continue;
    }
    while (entry.row >= rows.length + added.length && rules.newRow !== undefined) added.push(rules.newRow(null));
    const isNew = entry.row >= rows.length;
    const before = (isNew ? added[entry.row - rows.length] : (after.get(entry.row) ?? rows[entry.row])) as Row;
    if (isFixed(column, before)) {
      fixed += 1;
      continue;
    }
    const text = normal(column, entry.text, rules.words);
    if (text === column.read(before)) continue;
    const fault = rules.faultOf(column, text);
    const written = fault === null ? column.write?.(before, text) : { fault };
    if (written === undefined) continue;
    const retained = 'fault' in written && rules.keeps === true ? column.keep?.(before, text) : undefined;
    if ('fault' in written) (retained === undefined ? refused : wrong).push({ ...entry, fault: written.fault });
    const next = 'row' in written ? written.row : retained;
    if (next === undefined) continue;
    if (isNew) added[entry.row - rows.length] = next;
    else after.set(entry.row, next);
  }
  return { change: changeOf(rows, after, added, rules), refused, wrong, fixed, beyond };
}

function changeOf<Row>(
  rows: readonly Row[],
  after: ReadonlyMap<number, Row>,
  added: readonly Row[],
  { rowKey }: Rules<Row>,
): Change<Row> {
  const changed: Patch<Row>[] = [];
  for (const [at, row] of after) {
    const before = rows[at] as Row;
    changed.push({ key: rowKey(before), before, after: row });
  }
  return { changed, added: added.map((row, index) => ({ at: rows.length + index, row })), removed: [] };
}
