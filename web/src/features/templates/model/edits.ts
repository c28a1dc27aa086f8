import { create } from 'zustand';

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
