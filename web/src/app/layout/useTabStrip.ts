import { useEffect } from 'react';
import type { RefObject } from 'react';
import { inView, wheeled } from './strip';

/** The wheel scrolls the strip sideways, and the active tab is moved into view. active: its place, -1 for none. */
export function useTabStrip(strip: RefObject<HTMLUListElement | null>, active: number, count: number): void {
  useEffect(() => {
    const list = strip.current;
    if (list === null) return undefined;
    const onWheel = (event: WheelEvent): void => {
      if (event.deltaY === 0 || list.scrollWidth <= list.clientWidth) return;
      event.preventDefault();
      list.scrollTo({ left: wheeled(list.scrollLeft, event.deltaY) });
    };
    list.addEventListener('wheel', onWheel, { passive: false });
    return () => list.removeEventListener('wheel', onWheel);
  }, [strip]);

  useEffect(() => {
    const list = strip.current;
    if (list === null) return;
    const start = list.getBoundingClientRect().left - list.scrollLeft;
    const spans = Array.from(list.children, (item) => {
      const { left, width } = item.getBoundingClientRect();
      return { left: left - start, width };
    });
    list.scrollTo({ left: inView(spans, active, list.scrollLeft, list.clientWidth, list.scrollWidth) });
  }, [strip, active, count]);
}
