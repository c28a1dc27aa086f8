import { create } from 'zustand';

export interface CapturedError {
  id: number;
  message: string;
  /** Component or request in which it happened. */
  info: string;
  url: string;
  stack: string;
  at_ms: number;
}

const MAX_ENTRIES = 50;

interface ErrorLog {
  errors: CapturedError[];
  /** Errors that were pushed out of the list. */
  dropped: number;
  capture: (error: unknown, info: string) => void;
  clear: () => void;
}

let nextId = 1;

/** The last errors of this page, for the dialog in the top bar. Bounded; the address is kept without its query. */
export const useErrorLog = create<ErrorLog>()((set) => ({
  errors: [],
  dropped: 0,
  capture: (error, info) => {
    const known = error instanceof Error;
    const entry: CapturedError = {
      id: nextId++,
      message: known ? error.message : String(error),
      info,
      url: globalThis.location?.pathname ?? '',
      stack: known ? (error.stack ?? '') : '',
      at_ms: Date.now(),
    };
    set((log) => ({
      errors: [entry, ...log.errors].slice(0, MAX_ENTRIES),
      dropped: log.dropped + (log.errors.length >= MAX_ENTRIES ? 1 : 0),
    }));
  },
  clear: () => set({ errors: [], dropped: 0 }),
}));
