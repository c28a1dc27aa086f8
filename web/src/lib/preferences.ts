import { create } from 'zustand';
import { persist } from 'zustand/middleware';

export const LANGUAGES = ['zh', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];
export const PAGE_SIZES = [10, 20, 30, 50, 100] as const;
export const DEFAULT_PAGE_SIZE = 20;

interface Preferences {
  language: Language;
  sidebarCollapsed: boolean;
  pageSize: number;
  setLanguage: (language: Language) => void;
  setSidebarCollapsed: (collapsed: boolean) => void;
  setPageSize: (size: number) => void;
}

/** What this browser remembers of its user's habits. */
export const usePreferences = create<Preferences>()(
  persist(
    (set) => ({
      language: 'zh',
      sidebarCollapsed: false,
      pageSize: DEFAULT_PAGE_SIZE,
      setLanguage: (language) => set({ language }),
      setSidebarCollapsed: (sidebarCollapsed) => set({ sidebarCollapsed }),
      setPageSize: (pageSize) => set({ pageSize }),
    }),
    { name: 'edge.preferences', version: 1 },
  ),
);
