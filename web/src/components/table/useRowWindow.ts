import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import type { RefObject } from 'react';

const OVERSCAN_ROWS = 8;

export interface RowWindow {
  /** Rows to draw, in order. */
  indexes: readonly number[];
  /** Pixels before a drawn row that its predecessor does not fill. */
  gapBefore: (place: number) => number;
  /** Pixels after the last drawn row. */
  gapAfter: number;
  reveal: (index: number) => void;
}

/** The rows in view of a frame that scrolls, and the active one, which must not lose the focus. */
export function useRowWindow(
  count: number,
  rowPx: number,
  frame: RefObject<HTMLElement | null>,
  active: number,
): RowWindow {
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => rowPx,
    overscan: OVERSCAN_ROWS,
    rangeExtractor: (range) => {
      const inView = defaultRangeExtractor(range);
      return active >= count || inView.includes(active) ? inView : [...inView, active].sort((a, b) => a - b);
    },
    useFlushSync: false,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1);
  return {
    indexes: items.map((item) => item.index),
    gapBefore: (place) => (items[place]?.start ?? 0) - (items[place - 1]?.end ?? 0),
    gapAfter: virtual.getTotalSize() - (last?.end ?? 0),
    reveal: (index) => virtual.scrollToIndex(index, { align: 'auto' }),
  };
}
