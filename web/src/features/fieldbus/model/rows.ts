import type { Row } from './sections';

/** Rows with one in the place of that of a key, or behind all. was: null for a new one. */
export function withRow(
  rows: readonly Row[],
  was: string | null,
  row: Row,
  keyOf: (row: Row) => string,
): readonly Row[] {
  const at = was === null ? -1 : rows.findIndex((each) => keyOf(each) === was);
  return at < 0 ? [...rows, row] : rows.map((each, index) => (index === at ? row : each));
}

/** A name that no row has. */
export function freeName(stem: string, taken: readonly string[]): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? stem : `${stem}-${number}`;
    if (!taken.includes(name)) return name;
  }
}
