/** A value of the first axis that is moved by pointer or keys. */
export interface ChartHandle {
  id: string;
  /** Its spoken name. */
  label: string;
  value: number;
  /** Where what begins at the value ends; a fainter line. */
  clear?: number;
}

/** The plot's area in CSS pixels, and what its first axis shows from bottom to top. */
export interface PlotArea {
  left: number;
  top: number;
  width: number;
  height: number;
  low: number;
  high: number;
}

const STEPS = 200;
const PAGE_STEPS = 10;

/** Distance from the top of the plot's area, within it. */
export function offsetOf(value: number, { height, low, high }: PlotArea): number {
  const share = high === low ? 0.5 : (high - value) / (high - low);
  return Math.min(Math.max(share, 0), 1) * height;
}

/** The value at a distance from the top, as fine as the plot shows. */
export function valueAt(offset: number, area: PlotArea): number {
  const share = Math.min(Math.max(offset / area.height, 0), 1);
  return rounded(area.high - share * (area.high - area.low), stepOf(area));
}

/** One step of a key: a round number of about a two-hundredth of what is shown. */
export function stepOf({ low, high }: PlotArea): number {
  const raw = (high - low) / STEPS;
  if (!(raw > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw * 0.999) ?? power;
}

/** What a key makes of a value; null for a key that moves nothing. */
export function movedBy(key: string, value: number, area: PlotArea): number | null {
  const step = stepOf(area);
  const steps: Readonly<Record<string, number>> = {
    ArrowUp: 1,
    ArrowRight: 1,
    ArrowDown: -1,
    ArrowLeft: -1,
    PageUp: PAGE_STEPS,
    PageDown: -PAGE_STEPS,
  };
  const count = steps[key];
  return count === undefined ? null : rounded(value + count * step, step);
}

/** The range of an axis with every value, and a margin of a tenth. */
export function rangeWith(values: readonly number[], low: number | null, high: number | null): [number, number] {
  const all = [...values, ...(low === null ? [] : [low]), ...(high === null ? [] : [high])].filter(Number.isFinite);
  if (all.length === 0) return [0, 1];
  const [min, max] = [Math.min(...all), Math.max(...all)];
  const margin = max > min ? (max - min) * 0.1 : Math.max(Math.abs(max) * 0.1, 1);
  return [min - margin, max + margin];
}

function rounded(value: number, step: number): number {
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  return Number((Math.round(value / step) * step).toFixed(Math.min(digits, 12)));
}
