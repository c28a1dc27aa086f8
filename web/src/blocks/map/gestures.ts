import { useEffect, useLayoutEffect, useRef } from 'react';
import type { RefObject } from 'react';

export interface Gestures {
  /** Pixels that the pointer went, or that an arrow key stands for. */
  onDrag: (dx: number, dy: number) => void;
  /** zoomBy: steps of two; at: place of the frame, undefined for its middle. */
  onZoom: (zoomBy: number, at?: [x: number, y: number]) => void;
  /** A press that did not move. */
  onClick: (x: number, y: number) => void;
}

/** Less far the pointer was not dragged, it clicked. */
const CLICK_PX = 5;
/** Pixels of the wheel that double the size. */
const WHEEL_PX = 300;
/** Part of the frame that an arrow key moves. */
const STEP = 0.2;

/** Pointer, wheel, two fingers and keys of a map's frame. */
export function useGestures(frame: RefObject<HTMLElement | null>, gestures: Gestures): void {
  const now = useRef(gestures);
  useLayoutEffect(() => {
    now.current = gestures;
  });
  useEffect(() => {
    const host = frame.current;
    return host === null ? undefined : listen(host, now);
  }, [frame]);
}

function listen(host: HTMLElement, now: RefObject<Gestures>): () => void {
  const fingers = new Map<number, { x: number; y: number }>();
  let far = 0;
  const within = (x: number, y: number): [number, number] => {
    const { left, top } = host.getBoundingClientRect();
    return [x - left, y - top];
  };
  const apart = (): number => {
    const [a, b] = [...fingers.values()];
    return a === undefined || b === undefined ? 0 : Math.hypot(a.x - b.x, a.y - b.y);
  };
  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0 || (event.target as Element).closest('button') !== null) return;
    host.setPointerCapture(event.pointerId);
    if (fingers.size === 0) far = 0;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  };
  const onMove = (event: PointerEvent): void => {
    const from = fingers.get(event.pointerId);
    if (from === undefined) return;
    const before = apart();
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    far += Math.abs(dx) + Math.abs(dy);
    now.current.onDrag(dx / fingers.size, dy / fingers.size);
    const after = apart();
    if (before > 0 && after > 0) now.current.onZoom(Math.log2(after / before), within(event.clientX, event.clientY));
  };
  const onUp = (event: PointerEvent): void => {
    if (!fingers.delete(event.pointerId) || event.type === 'pointercancel' || fingers.size > 0 || far > CLICK_PX)
      return;
    now.current.onClick(...within(event.clientX, event.clientY));
  };
  const onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    now.current.onZoom(-event.deltaY / WHEEL_PX, within(event.clientX, event.clientY));
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.target !== host) return;
    const [wide, high] = [host.clientWidth * STEP, host.clientHeight * STEP];
    const keys: Record<string, () => void> = {
      ArrowLeft: () => now.current.onDrag(wide, 0),
      ArrowRight: () => now.current.onDrag(-wide, 0),
      ArrowUp: () => now.current.onDrag(0, high),
      ArrowDown: () => now.current.onDrag(0, -high),
      '+': () => now.current.onZoom(1),
      '=': () => now.current.onZoom(1),
      '-': () => now.current.onZoom(-1),
    };
    const work = keys[event.key];
    if (work === undefined) return;
    event.preventDefault();
    work();
  };
  host.addEventListener('pointerdown', onDown);
  host.addEventListener('pointermove', onMove);
  host.addEventListener('pointerup', onUp);
  host.addEventListener('pointercancel', onUp);
  host.addEventListener('wheel', onWheel, { passive: false }); // it must keep the page where it is
  host.addEventListener('keydown', onKey);
  return () => {
    host.removeEventListener('pointerdown', onDown);
    host.removeEventListener('pointermove', onMove);
    host.removeEventListener('pointerup', onUp);
    host.removeEventListener('pointercancel', onUp);
    host.removeEventListener('wheel', onWheel);
    host.removeEventListener('keydown', onKey);
  };
}
