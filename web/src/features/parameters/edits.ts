import { create } from 'zustand';
import { unsaved } from '@/lib/unsaved';
import type { GatewayParameters } from './api';
import type { Entries } from './model/editing';

/** Parameters of a gateway while they are edited. changed: names of groups that are not as they were. */
export interface Edit {
  given: GatewayParameters;
  before: Entries;
  now: Entries;
  changed: readonly string[];
}

interface Edits {
  byDevice: Readonly<Record<number, Edit>>;
  keep: (deviceId: number, edit: Edit) => void;
  end: (deviceId: number) => void;
}

/** What is entered and not saved yet: it outlives a look at another page, and the page itself. */
export const useEdits = create<Edits>()((set) => ({
  byDevice: {},
  keep: (deviceId, edit) => set(({ byDevice }) => ({ byDevice: { ...byDevice, [deviceId]: edit } })),
  end: (deviceId) =>
    set(({ byDevice }) => {
      const { [deviceId]: _ended, ...others } = byDevice;
      return { byDevice: others };
    }),
}));

unsaved.addDrafts(() => Object.values(useEdits.getState().byDevice).some(({ changed }) => changed.length > 0));
