import type uPlot from 'uplot';
import type { Palette } from './palette';

/** A time that is shaded: nothing came, or with isAlarm there was one. endMs: null while it lasts. */
export interface ChartSpan {
  startMs: number;
  endMs: number | null;
  isAlarm?: boolean;
}

/** Something that happened at a time, as a small triangle on the time axis. */
export interface ChartMark {
  tMs: number;
  bad: boolean;
}

export interface Annotations {
  spans: readonly ChartSpan[];
  marks: readonly ChartMark[];
}

const NONE: Annotations = { spans: [], marks: [] };
const HATCH_PX = 7;
const MARK_PX = 5;

export function noAnnotations(): Annotations {
  return NONE;
}

/** Together as times that do not overlap, by rising start: an outage of several points is hatched once. */
export function mergedSpans(spans: readonly ChartSpan[]): ChartSpan[] {
  const merged: ChartSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.startMs - b.startMs)) {
    const last = merged.at(-1);
    if (last === undefined || (last.endMs !== null && last.endMs < span.startMs)) merged.push({ ...span });
    else if (last.endMs !== null) last.endMs = span.endMs === null ? null : Math.max(last.endMs, span.endMs);
  }
  return merged;
}

/** Hatched areas behind the lines. */
export function drawSpans(plot: uPlot, spans: readonly ChartSpan[], palette: Palette): void {
  const { ctx, bbox } = plot;
  const { min = 0, max = 0 } = plot.scales.x ?? {};
  for (const { startMs, endMs, isAlarm = false } of spans) {
    if (startMs > (max ?? 0) || (endMs !== null && endMs < (min ?? 0))) continue;
    const left = Math.max(bbox.left, plot.valToPos(startMs, 'x', true));
    const right = Math.min(bbox.left + bbox.width, endMs === null ? Infinity : plot.valToPos(endMs, 'x', true));
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, bbox.top, Math.max(1, right - left), bbox.height);
    ctx.clip();
    ctx.fillStyle = isAlarm ? palette.limit : palette.text;
    ctx.globalAlpha = isAlarm ? 0.2 : 0.1;
    ctx.fill();
    ctx.globalAlpha = 0.25;
    ctx.strokeStyle = isAlarm ? palette.limit : palette.text;
    ctx.lineWidth = 1;
    ctx.beginPath();
    for (let x = left - bbox.height; x < right; x += HATCH_PX * devicePixelRatio) {
      ctx.moveTo(x, bbox.top + bbox.height);
      ctx.lineTo(x + bbox.height, bbox.top);
    }
    ctx.stroke();
    ctx.restore();
  }
}

/** Triangles over the time axis, before the lines. */
export function drawMarks(plot: uPlot, marks: readonly ChartMark[], palette: Palette): void {
  const { ctx, bbox } = plot;
  const size = MARK_PX * devicePixelRatio;
  const bottom = bbox.top + bbox.height;
  ctx.save();
  for (const { tMs, bad } of marks) {
    const x = plot.valToPos(tMs, 'x', true);
    if (!Number.isFinite(x) || x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.fillStyle = bad ? palette.limit : palette.text;
    ctx.beginPath();
    ctx.moveTo(x, bottom - size * 1.8);
    ctx.lineTo(x - size, bottom);
    ctx.lineTo(x + size, bottom);
    ctx.closePath();
    ctx.fill();
  }
  ctx.restore();
}
