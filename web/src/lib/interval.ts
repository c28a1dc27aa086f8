/** Intervals of time as people enter them: a number followed by m, h or d. Seconds inside. */

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
type Unit = keyof typeof SECONDS;

/** Units that a field takes; seconds only where shorter times than a minute make sense. */
export type IntervalUnits = 'mhd' | 'smhd';

const PATTERN = /^(\d+(?:\.\d+)?)\s*([a-z])$/i;

/** Choices of the specification: 1, 5, 10, 15, 30 minutes; 1, 3, 6, 12 hours; 1, 7, 15, 30, 90 days. */
export const PRESET_TIMES_S: readonly number[] = [
  ...[1, 5, 10, 15, 30].map((count) => count * SECONDS.m),
  ...[1, 3, 6, 12].map((count) => count * SECONDS.h),
  ...[1, 7, 15, 30, 90].map((count) => count * SECONDS.d),
];

/** Seconds of a text; null for anything but a number followed by one of the units. */
export function parseInterval(text: string, units: IntervalUnits = 'mhd'): number | null {
  const [, number, letter] = PATTERN.exec(text.trim()) ?? [];
  const unit = letter?.toLowerCase();
  if (number === undefined || unit === undefined || !units.includes(unit)) return null;
  return Math.round(Number(number) * SECONDS[unit as Unit] * 1000) / 1000;
}

/** The text of so many seconds, in the largest unit of which they are a whole number, else in the smallest. */
export function formatInterval(seconds: number, units: IntervalUnits = 'mhd'): string {
  const known = ([...units] as Unit[]).toReversed();
  const exact = known.find((unit) => seconds !== 0 && Number.isInteger(seconds / SECONDS[unit]));
  const unit = exact ?? (units[0] as Unit);
  return `${Number((seconds / SECONDS[unit]).toFixed(6))}${unit}`;
}

/** Count and unit of a preset, for its words. */
export function presetParts(seconds: number): { count: number; unit: 'min' | 'h' | 'd' } {
  if (seconds % SECONDS.d === 0) return { count: seconds / SECONDS.d, unit: 'd' };
  return seconds % SECONDS.h === 0
    ? { count: seconds / SECONDS.h, unit: 'h' }
    : { count: seconds / SECONDS.m, unit: 'min' };
}
