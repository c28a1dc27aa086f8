const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;
const NUMBERED = /^(.*?)(\d+)$/s;
/** Digits that a number keeps exactly. */
const MAX_DIGITS = 15;

/**
 * What follows the seeds, `count` texts. Two numbers or more tell the step from the last two; of one number it is `stepOfOne`.
 * A text that ends in a number counts on, its leading zeros kept. Everything else is repeated in turn.
 */
export function series(seeds: readonly string[], count: number, stepOfOne: number): string[] {
  const next = numbers(seeds, stepOfOne) ?? numbered(seeds) ?? ((at: number): string => seeds[at % seeds.length] ?? '');
  return Array.from({ length: count }, (_, at) => next(at));
}

type Next = (at: number) => string;

function numbers(seeds: readonly string[], stepOfOne: number): Next | null {
  if (seeds.length === 0 || !seeds.every((seed) => NUMBER.test(seed) && seed.length <= MAX_DIGITS)) return null;
  const places = Math.max(...seeds.map((seed) => (seed.split('.')[1] ?? '').length));
  const scale = 10 ** places;
  const scaled = seeds.map((seed) => Math.round(Number(seed) * scale));
  const last = scaled.at(-1) ?? 0;
  const step = scaled.length > 1 ? last - (scaled.at(-2) ?? 0) : stepOfOne * scale;
  return (at) => ((last + step * (at + 1)) / scale).toFixed(places);
}

function numbered(seeds: readonly string[]): Next | null {
  const parts = seeds.map((seed) => NUMBERED.exec(seed));
  const prefix = parts[0]?.[1];
  if (
    prefix === undefined ||
    !parts.every((part) => part !== null && part[1] === prefix && (part[2] ?? '').length <= MAX_DIGITS)
  )
    return null;
  const last = Number(parts.at(-1)?.[2]);
  const step = parts.length > 1 ? last - Number(parts.at(-2)?.[2]) : 1;
  const width = (parts.at(-1)?.[2] ?? '').length;
  return (at) => {
    const value = last + step * (at + 1);
    return value < 0 ? '' : `${prefix}${String(value).padStart(width, '0')}`;
  };
}
