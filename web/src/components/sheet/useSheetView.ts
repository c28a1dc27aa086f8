import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { PointerEvent, RefObject } from 'react';
import { columnAt, HEAD_PX, inView, revealing, ROW_HEAD_PX, ROW_PX } from './layout';
import type { InView, Layout, Port } from './layout';
import type { Place } from './model/selection';

export interface SheetView {
  visible: InView;
  onScroll: () => void;
  reveal: (place: Place) => void;
  /** Height of the cells in view, in pixels. */
  bodyPx: () => number;
  /** The cell under the pointer, or the nearest one. Where it goes down: column -1 is the head of a row, row -1 that of a column,
   * and rows after the last one are counted on. */
  placeAt: (event: PointerEvent | globalThis.PointerEvent) => Place;
}

const NO_PORT: Port = { top: 0, left: 0, width: 1200, height: 480 };

/** The part of a sheet that is in view, and the way between pixels and cells. */
export function useSheetView(frameRef: RefObject<HTMLDivElement | null>, layout: Layout, rows: number): SheetView {
  const port = useRef(NO_PORT);
  const now = useRef({ layout, rows });
  const [visible, setVisible] = useState(() => inView(layout, rows, NO_PORT));
  const frame = useRef(0);

  const look = useCallback(() => {
    const next = inView(now.current.layout, now.current.rows, port.current);
    setVisible((known) => (isSame(known, next) ? known : next));
  }, []);

  useLayoutEffect(() => {
    now.current = { layout, rows };
    look();
  }, [layout, rows, look]);

  useLayoutEffect(() => {
    const element = frameRef.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      port.current = { ...port.current, width: element.clientWidth, height: element.clientHeight };
      look();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [frameRef, look]);

  useEffect(() => () => cancelAnimationFrame(frame.current), []);

  const onScroll = useCallback(() => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      const element = frameRef.current;
      if (element === null) return;
      port.current = { ...port.current, top: element.scrollTop, left: element.scrollLeft };
      look();
    });
  }, [frameRef, look]);

  const reveal = useCallback(
    (place: Place) => {
      const element = frameRef.current;
      if (element === null) return;
      const { top, left } = revealing(now.current.layout, port.current, place.row, place.column);
      if (top === port.current.top && left === port.current.left) return;
      port.current = { ...port.current, top, left };
      element.scrollTo({ top, left });
      look();
    },
    [frameRef, look],
  );

  const placeAt = useCallback(
    (event: PointerEvent | globalThis.PointerEvent): Place => {
      const box = frameRef.current?.getBoundingClientRect() ?? new DOMRect();
      const { layout: known, rows: count } = now.current;
      const [x, y] = [event.clientX - box.left - ROW_HEAD_PX, event.clientY - box.top - HEAD_PX];
      const isDown = event.type === 'pointerdown';
      const line = Math.max(0, Math.floor((y + port.current.top) / ROW_PX));
      const row = isDown ? (y < 0 ? -1 : line) : Math.max(0, Math.min(count - 1, line));
      if (x < 0 && isDown) return { row, column: -1 };
      return { row, column: columnAt(known, Math.max(0, x < known.frozenPx && x >= 0 ? x : x + port.current.left)) };
    },
    [frameRef],
  );

  const bodyPx = useCallback(() => port.current.height - HEAD_PX, []);
  return { visible, onScroll, reveal, bodyPx, placeAt };
}

function isSame(a: InView, b: InView): boolean {
  return (
    a.firstRow === b.firstRow &&
    a.lastRow === b.lastRow &&
    a.firstColumn === b.firstColumn &&
    a.lastColumn === b.lastColumn
  );
}
