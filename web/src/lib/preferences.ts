import { create } from 'zustand';
import { persist } from 'zustand/middleware';

export const LANGUAGES = ['zh', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];
export const DEFAULT_LANGUAGE: Language = 'zh';
/** How large the portal is drawn on a desk; touch keeps the size of its targets. */
export const SIZES = ['medium', 'small', 'mini'] as const;
export type Size = (typeof SIZES)[number];
export const DEFAULT_SIZE: Size = 'medium';
export const PAGE_SIZES = [10, 20, 30, 50, 100] as const;
export const DEFAULT_PAGE_SIZE = 20;

interface Preferences {
  /** Null until one is chosen. */
  language: Language | null;
  sidebarCollapsed: boolean;
  pageSize: number;
  size: Size;
  setLanguage: (language: Language) => void;
  setSidebarCollapsed: (collapsed: boolean) => void;
  setPageSize: (size: number) => void;
  setSize: (size: Size) => void;
}

/** What this browser remembers of its user's habits. */
export const usePreferences = create<Preferences>()(
  persist(
    (set) => ({
      language: null,
      sidebarCollapsed: false,
      pageSize: DEFAULT_PAGE_SIZE,
      size: DEFAULT_SIZE,
      setLanguage: (language) => set({ language }),
      setSidebarCollapsed: (sidebarCollapsed) => set({ sidebarCollapsed }),
      setPageSize: (pageSize) => set({ pageSize }),
      setSize: (size) => set({ size }),
    }),
    { name: 'edge.preferences', version: 1 },
  ),
);

/** The chosen language, else the specification's default, whatever the browser speaks. */
export function currentLanguage({ language }: Pick<Preferences, 'language'> = usePreferences.getState()): Language {
  return language ?? DEFAULT_LANGUAGE;
}
