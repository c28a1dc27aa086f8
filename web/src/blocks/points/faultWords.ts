import i18next from 'i18next';
import type { TFunction } from 'i18next';
import type { CellFault, SheetFaults } from '@/components/sheet/types';
import type { Point } from './point';
import type { Cell } from './point';
import { faultDefault } from './protocols';

/** A fault in words: the portal's, or those of the protocol that alone has the code. */
export function faultText(t: TFunction, code: string, args: Readonly<Record<string, unknown>> = {}): string {
  const key = `base:point.fault.${code}`;
  const own = faultDefault(code, i18next.language ?? 'zh');
  return own === undefined ? t(key, { ...args }) : t(key, { ...args, defaultValue: own });
}

interface Said {
  cells: readonly Cell[];
  text: string;
  map: ReadonlyMap<string, CellFault>;
}

/** Faults in words, by row and column, in the language of t. A row's map stays the same while its faults do. */
export function makeFaultWords(
  t: TFunction,
): (points: readonly Point[], cells: readonly (readonly Cell[])[]) => SheetFaults {
  let before = new Map<number, Said>();
  return (points, cells) => {
    const now = new Map<number, Said>();
    const faults = new Map<number, ReadonlyMap<string, CellFault>>();
    points.forEach(({ key }, at) => {
      const cellFaults = cells[at] ?? [];
      if (cellFaults.length === 0) return;
      const old = before.get(key);
      const text = old?.cells === cellFaults ? old.text : JSON.stringify(cellFaults);
      const map = old?.text === text ? old.map : wordsOf(cellFaults, t);
      now.set(key, { cells: cellFaults, text, map });
      faults.set(key, map);
    });
    before = now;
    return faults;
  };
}

/** The first error of each field, or its first warning. */
function wordsOf(cells: readonly Cell[], t: TFunction): ReadonlyMap<string, CellFault> {
  const map = new Map<string, CellFault>();
  for (const { field, code, args = {}, level = 'error' } of cells) {
    const known = map.get(field)?.level;
    if (known === 'error' || known === level) continue;
    map.set(field, { level, text: faultText(t, code, args) });
  }
  return map;
}
