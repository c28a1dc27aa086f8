import type { CellFault, RowKey, SheetFaults } from '../types';

type Fields = ReadonlyMap<string, CellFault>;

/** Faults with notes where there is no fault. A row's map stays the same while its faults and notes do. */
export function makeWithNotes(): (faults: SheetFaults, notes: ReadonlyMap<RowKey, Fields>) => SheetFaults {
  let before = new Map<RowKey, { fault: Fields | undefined; note: Fields; both: Fields }>();
  return (faults, notes) => {
    if (notes.size === 0) return faults;
    const now = new Map<RowKey, { fault: Fields | undefined; note: Fields; both: Fields }>();
    const made = new Map(faults);
    for (const [key, note] of notes) {
      const fault = faults.get(key);
      const old = before.get(key);
      const both =
        old !== undefined && old.fault === fault && old.note === note ? old.both : new Map([...note, ...(fault ?? [])]);
      now.set(key, { fault, note, both });
      made.set(key, both);
    }
    before = now;
    return made;
  };
}
