import { parseColour, visibleOn } from '@/lib/colour';
import type { SparkSamples } from './sparks';

const PADDING_PX = 2;

export interface Looks {
  /** #rrggbb chosen for the point; null for the page's own. */
  color: string | null;
  stepped: boolean;
  /** Longer silence breaks the line. */
  gapMs: number;
}

/** The colour of a point's line on this page, as it is drawn. */
export function strokeOf(element: Element, color: string | null): string {
  const style = getComputedStyle(element);
  const ground = parseColour(style.getPropertyValue('--surface-panel'));
  const chosen = parseColour(color ?? '');
  return chosen !== null && ground !== null ? visibleOn(chosen, ground) : style.getPropertyValue('--chart-1').trim();
}

/** The line of the last while, from edge to edge of what it was; a value that never changed lies in the middle. */
export function drawSpark(
  canvas: HTMLCanvasElement,
  { t, y }: SparkSamples,
  fromMs: number,
  toMs: number,
  looks: Looks,
): void {
  const context = canvas.getContext('2d');
  const scale = window.devicePixelRatio;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (context === null || width === 0) return;
  if (canvas.width !== Math.round(width * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const stroke = strokeOf(canvas, looks.color);
  canvas.dataset.samples = String(t.length);
  canvas.dataset.stroke = stroke;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  let [low, high] = [Infinity, -Infinity];
  for (const value of y) {
    if (value === null) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return;
  const x = (ms: number): number => (width * (ms - fromMs)) / (toMs - fromMs);
  const level = (value: number): number =>
    high === low ? height / 2 : height - PADDING_PX - ((height - 2 * PADDING_PX) * (value - low)) / (high - low);
  context.beginPath();
  let before: { ms: number; level: number } | null = null;
  for (let at = 0; at < t.length; at++) {
    const ms = t[at] ?? 0;
    const value = y[at] ?? null;
    if (value === null) {
      before = null;
      continue;
    }
    const now = level(value);
    if (before === null || ms - before.ms > looks.gapMs) context.moveTo(x(ms), now);
    else {
      if (looks.stepped) context.lineTo(x(ms), before.level);
      context.lineTo(x(ms), now);
    }
    before = { ms, level: now };
  }
  // What is sent on change only holds its last value until now.
  if (looks.gapMs === Infinity && before !== null) context.lineTo(x(toMs), before.level);
  context.strokeStyle = stroke;
  context.lineWidth = 1.3;
  context.stroke();
}
