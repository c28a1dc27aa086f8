import { create } from 'zustand';
import type { Point } from '@/blocks/points/point';
import { unsaved } from '@/lib/unsaved';
import { isUnchanged, knownBy, withKeysOf } from './point';

/** Points of a slave that are being edited. original: as the cloud had them at base; rows are the same object while nothing differs. */
export interface Edit {
  base: string | null;
  original: readonly Point[];
  rows: readonly Point[];
  /** Counts the times that other rows were loaded: the sheet's undo must not reach behind that. Saving is none of them. */
  round: number;
}

interface Edits {
  bySlave: Readonly<Record<string, Edit>>;
  begin: (key: string, base: string | null, original: readonly Point[], rows?: readonly Point[]) => void;
  change: (key: string, rows: readonly Point[]) => void;
  /** What was edited is saved: original is what the cloud has now. The sheet goes on with its undo. */
  settle: (key: string, base: string | null, original: readonly Point[]) => void;
  /** The same rows on a newer version, in which they are as they were. */
  rebase: (key: string, base: string | null) => void;
  /** The slave has another name now. */
  move: (from: string, to: string) => void;
  end: (key: string) => void;
}

export function keyOf(deviceId: number, slave: string): string {
  return `${deviceId}/${slave}`;
}

/** What is edited and not saved yet: it outlives a look at another slave or page. */
export const useEdits = create<Edits>()((set) => ({
  bySlave: {},
  begin: (key, base, original, rows = original) =>
    set(({ bySlave }) => ({
      bySlave: { ...bySlave, [key]: { base, original, rows, round: (bySlave[key]?.round ?? 0) + 1 } },
    })),
  change: (key, rows) =>
    set(({ bySlave }) => {
      const known = bySlave[key];
      if (known === undefined) return {};
      const named = knownBy(known.original, rows);
      return {
        bySlave: { ...bySlave, [key]: { ...known, rows: isUnchanged(known.original, named) ? known.original : named } },
      };
    }),
  settle: (key, base, original) =>
    set(({ bySlave }) => {
      const known = bySlave[key];
      if (known === undefined) return {};
      const rows = withKeysOf(known.rows, original);
      return { bySlave: { ...bySlave, [key]: { ...known, base, original: rows, rows } } };
    }),
  rebase: (key, base) =>
    set(({ bySlave }) => {
      const known = bySlave[key];
      return known === undefined ? {} : { bySlave: { ...bySlave, [key]: { ...known, base } } };
    }),
  move: (from, to) =>
    set(({ bySlave }) => {
      const { [from]: moved, ...others } = bySlave;
      return moved === undefined ? {} : { bySlave: { ...others, [to]: moved } };
    }),
  end: (key) =>
    set(({ bySlave }) => {
      const { [key]: _ended, ...others } = bySlave;
      return { bySlave: others };
    }),
}));

unsaved.addDrafts(() => Object.values(useEdits.getState().bySlave).some(({ original, rows }) => original !== rows));

/** What is edited of a slave at this moment. */
export function editOf(deviceId: number, slave: string): Edit | undefined {
  return useEdits.getState().bySlave[keyOf(deviceId, slave)];
}

/** What is edited of a slave goes along when it gets another name. */
export function moveEdit(deviceId: number, from: string, to: string): void {
  if (from !== to) useEdits.getState().move(keyOf(deviceId, from), keyOf(deviceId, to));
}
