import { create } from 'zustand';
import { unsaved } from '@/lib/unsaved';

export interface Writing {
  /** As it was typed or loaded from a file. */
  text: string;
  /** File that it came from; its ending says how it is read. Empty for what is edited here. */
  file: string;
  note: string;
  /** The text with which it began. */
  original: string;
  /** The newest version when the editor began. */
  base: string | null;
  /** The version whose text it began with; null for a file. */
  from: string | null;
  /** The text that is saved as a draft while it is still edited; undefined: none yet. */
  saved?: string;
}

/** Would it take the place of a draft that it was not made from? */
export function isInPlaceOf(writing: Writing, draft: { hash: string } | null): boolean {
  return draft !== null && writing.from !== draft.hash;
}

/** Is there something that would be lost? */
export function isWritten(writing: Writing | undefined): boolean {
  if (writing === undefined) return false;
  const { text, file, original, saved } = writing;
  return saved === undefined ? file !== '' || text !== original : text !== saved;
}

interface Drafts {
  byDevice: Readonly<Record<number, Writing>>;
  begin: (deviceId: number, writing: Writing) => void;
  change: (deviceId: number, change: Partial<Writing>) => void;
  end: (deviceId: number) => void;
}

/** What is being written and not saved yet: it outlives a look at another tab. */
export const useDrafts = create<Drafts>()((set) => ({
  byDevice: {},
  begin: (deviceId, writing) => set(({ byDevice }) => ({ byDevice: { ...byDevice, [deviceId]: writing } })),
  change: (deviceId, change) =>
    set(({ byDevice }) => {
      const known = byDevice[deviceId];
      return known === undefined ? {} : { byDevice: { ...byDevice, [deviceId]: { ...known, ...change } } };
    }),
  end: (deviceId) =>
    set(({ byDevice }) => {
      const { [deviceId]: _ended, ...others } = byDevice;
      return { byDevice: others };
    }),
}));

unsaved.addDrafts(() => Object.values(useDrafts.getState().byDevice).some(isWritten));
