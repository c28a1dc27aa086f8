import type { Trend } from './api';

export interface Drawn {
  /** Path in a box of width and height. */
  path: string;
  min: number;
  max: number;
}

const DIGITS = 1;

/** A point's samples as a line; what has no number breaks it. Null without any. */
export function drawn(
  { t_ms, v }: Pick<Trend, 't_ms' | 'v'>,
  fromMs: number,
  toMs: number,
  width: number,
  height: number,
): Drawn | null {
  const numbers = v.filter((value) => value !== null);
  if (numbers.length === 0 || toMs <= fromMs) return null;
  const [min, max] = [Math.min(...numbers), Math.max(...numbers)];
  const at = (index: number): string => {
    const x = (((t_ms[index] ?? fromMs) - fromMs) / (toMs - fromMs)) * width;
    const share = max === min ? 0.5 : ((v[index] ?? min) - min) / (max - min);
    return `${Math.max(0, Math.min(width, x)).toFixed(DIGITS)} ${((1 - share) * height).toFixed(DIGITS)}`;
  };
  let path = '';
  let isOpen = false;
  v.forEach((value, index) => {
    if (value !== null) path += `${isOpen ? 'L' : 'M'}${at(index)}`;
    // A number between two gaps is a dot: a line to itself.
    if (value !== null && !isOpen && (v[index + 1] ?? null) === null) path += 'h0';
    isOpen = value !== null;
  });
  return { path, min, max };
}
