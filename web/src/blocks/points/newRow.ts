import { freeName, nameOf, newPoint } from './point';
import type { Point } from './point';

/**
 * Makes fresh rows with free identifiers: copies go on counting (level9, level10), empty ones from the last row. Several
 * are asked for at once when a block is pasted, before any of them stands among the rows.
 */
export function makeNewRow(rows: () => readonly Point[]): (copyOf: Point | null) => Point {
  let seen: readonly Point[] | null = null;
  let taken = new Set<string>();
  let last = '';
  return (copyOf) => {
    const now = rows();
    if (now !== seen) {
      seen = now;
      taken = new Set(now.map(nameOf));
      last = nameOf(now.at(-1) ?? newPoint({}));
    }
    const name = freeName(taken, copyOf === null ? last : nameOf(copyOf));
    taken.add(name);
    last = name;
    return newPoint({ ...copyOf?.fields, ds_name: name });
  };
}
