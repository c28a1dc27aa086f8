import { useEffect, useRef, useState } from 'react';
import type { KeyboardEvent, RefObject } from 'react';

const PAGE_ROWS = 10;

interface Keys {
  rows: number;
  frame: RefObject<HTMLElement | null>;
  /** Bring a row into the page, for tables that hold only what is in view. */
  reveal: (index: number) => void;
  onOpen: ((index: number) => void) | null;
  onSelect: ((index: number) => void) | null;
  onDelete: ((index: number) => void) | null;
}

interface RowKeys {
  /** The row that Tab reaches. */
  active: number;
  setActive: (index: number) => void;
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

/** Rows by keyboard: arrows, Home, End and page keys move; Space selects, Enter opens, Delete deletes. */
export function useRowKeys({ rows, frame, reveal, onOpen, onSelect, onDelete }: Keys): RowKeys {
  const [wanted, setActive] = useState(0);
  const active = Math.max(0, Math.min(wanted, rows - 1));
  const follow = useRef(false);
  useEffect(() => {
    if (!follow.current) return;
    follow.current = false;
    frame.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)?.focus({ preventScroll: false });
  }, [active, frame]);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const at = (event.target as HTMLElement).dataset.index;
    if (at === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const here = Number(at);
    const to = target(event.key, here, rows - 1);
    if (to !== null) {
      if (to !== here) {
        follow.current = true;
        reveal(to);
        setActive(to);
      }
    } else if (!act(event.key, here)) return;
    event.preventDefault();
  };
  const act = (key: string, here: number): boolean => {
    const work = { ' ': onSelect, Enter: onOpen, Delete: onDelete }[key] ?? null;
    work?.(here);
    return work !== null;
  };
  return { active, setActive, onKeyDown };
}

/** The row that a key leads to; null for other keys. */
export function target(key: string, here: number, last: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return Math.min(last, here + 1);
    case 'ArrowUp':
      return Math.max(0, here - 1);
    case 'PageDown':
      return Math.min(last, here + PAGE_ROWS);
    case 'PageUp':
      return Math.max(0, here - PAGE_ROWS);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return null;
  }
}
