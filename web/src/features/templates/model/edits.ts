import { create } from 'zustand';
import { unsaved } from '@/lib/unsaved';
import type { Content } from '../api';

/** A template that is being edited. at: the version that the changes began with; kind of edit is the editor's. */
export interface Edit {
  at: number;
  edit: unknown;
}

interface Edits {
  byTemplate: Readonly<Record<number, Edit>>;
  change: (id: number, at: number, edit: unknown) => void;
  end: (id: number) => void;
}

/** What is edited and not saved yet: it outlives a look at another template or page. */
export const useEdits = create<Edits>()((set) => ({
  byTemplate: {},
  change: (id, at, edit) => set(({ byTemplate }) => ({ byTemplate: { ...byTemplate, [id]: { at, edit } } })),
  end: (id) =>
    set(({ byTemplate }) => {
      const { [id]: _ended, ...others } = byTemplate;
      return { byTemplate: others };
    }),
}));

unsaved.addDrafts(() => Object.keys(useEdits.getState().byTemplate).length > 0);

const made = new WeakMap<Content, Map<unknown, unknown>>();

/** A version's content as its editor has it, made once: its rows keep their keys, also for an editor that is opened anew. */
export function loadedOf<Made>(content: Content, editOf: (content: Content) => Made): Made {
  const known = made.get(content) ?? new Map<unknown, unknown>();
  made.set(content, known);
  if (!known.has(editOf)) known.set(editOf, editOf(content));
  return known.get(editOf) as Made;
}

/** Do two edits hold the same rows with the same values? */
export function isSameEdit(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (
    typeof a !== 'object' ||
    typeof b !== 'object' ||
    a === null ||
    b === null ||
    Array.isArray(a) !== Array.isArray(b)
  )
    return false;
  const [names, others] = [Object.keys(a), Object.keys(b)];
  return (
    names.length === others.length &&
    names.every((name) => Object.hasOwn(b, name) && isSameEdit(a[name as keyof typeof a], b[name as keyof typeof b]))
  );
}
