import { create } from 'zustand';

interface Overlay {
  /** What lies above the page; one at a time. */
  current: 'palette' | 'keys' | null;
  show: (current: 'palette' | 'keys' | null) => void;
}

/** The command palette and the list of keys, opened by keys, buttons and menus. */
export const useOverlay = create<Overlay>()((set) => ({ current: null, show: (current) => set({ current }) }));
