import { create } from 'zustand';

interface Overlay {
  /** What lies above the page; one at a time. */
  shown: 'palette' | 'keys' | null;
  show: (shown: 'palette' | 'keys' | null) => void;
}

/** The command palette and the list of keys, opened by keys, buttons and menus. */
export const useOverlay = create<Overlay>()((set) => ({ shown: null, show: (shown) => set({ shown }) }));
