import type uPlot from 'uplot';

/** The wheel has come to rest: the part in view is now what the user wants. */
const REST_MS = 250;
/** Part of the view that a step of the wheel takes away or adds. */
const STEP = 0.2;
const NARROWEST_MS = 1000;

interface Part {
  min: number;
  max: number;
}

/** A part of an axis grown by a factor around a point of it; never narrower than a second. */
export function zoomed({ min, max }: Part, around: number, factor: number): Part {
  const wanted = Math.max(NARROWEST_MS, (max - min) * factor);
  const share = max === min ? 0.5 : (around - min) / (max - min);
  const from = around - wanted * share;
  return { min: Math.round(from), max: Math.round(from + wanted) };
}

/** Zoom by wheel and by two fingers: drawn at once, told when it has come to rest. Returns what ends it. */
export function listenToZoom(plot: uPlot, onZoom: (min: number, max: number) => void): () => void {
  const { over } = plot;
  const fingers = new Map<number, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const part = (): Part => ({ min: plot.scales.x?.min ?? 0, max: plot.scales.x?.max ?? 0 });
  const show = (next: Part): void => {
    plot.setScale('x', next);
    clearTimeout(timer);
    timer = setTimeout(() => onZoom(next.min, next.max), REST_MS);
  };
  const at = (clientX: number): number => plot.posToVal(clientX - over.getBoundingClientRect().left, 'x');
  const onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    show(zoomed(part(), at(event.clientX), event.deltaY < 0 ? 1 - STEP : 1 / (1 - STEP)));
  };
  const onDown = (event: PointerEvent): void => {
    if (event.pointerType === 'touch') fingers.set(event.pointerId, event.clientX);
  };
  const onMove = (event: PointerEvent): void => {
    if (fingers.size !== 2 || !fingers.has(event.pointerId)) return;
    const apart = (): number => Math.abs([...fingers.values()].reduce((a, b) => a - b));
    const before = apart();
    fingers.set(event.pointerId, event.clientX);
    const after = apart();
    const middle = [...fingers.values()].reduce((a, b) => a + b) / 2;
    if (before > 1 && after > 1) show(zoomed(part(), at(middle), before / after));
  };
  const onUp = (event: PointerEvent): void => {
    fingers.delete(event.pointerId);
  };
  over.style.touchAction = 'pan-y';
  over.addEventListener('wheel', onWheel, { passive: false });
  over.addEventListener('pointerdown', onDown);
  over.addEventListener('pointermove', onMove);
  over.addEventListener('pointerup', onUp);
  over.addEventListener('pointercancel', onUp);
  return () => {
    clearTimeout(timer);
    over.removeEventListener('wheel', onWheel);
    over.removeEventListener('pointerdown', onDown);
    over.removeEventListener('pointermove', onMove);
    over.removeEventListener('pointerup', onUp);
    over.removeEventListener('pointercancel', onUp);
  };
}
