import { CUSTOM_ABOVE } from '@/lib/alarmTypes';
import type { AlarmLevel } from '@/lib/alarmTypes';
import { contrastOf, markColours, parseColour } from '@/lib/colour';

export const MAX_LEVELS = 50;
const MAX_ID = 9999;

/** The first free number for a level of the platform's own. */
export function nextLevelId(levels: readonly AlarmLevel[]): number {
  const taken = new Set(levels.map(({ id }) => id));
  let id = CUSTOM_ABOVE + 1;
  while (taken.has(id)) id += 1;
  return id;
}

/** What is wrong with the number of the level at a place; null for nothing. */
export function idFault(levels: readonly AlarmLevel[], at: number): 'range' | 'taken' | null {
  const id = levels[at]?.id ?? 0;
  if (!Number.isInteger(id) || id < 1 || id > MAX_ID) return 'range';
  return levels.some((other, place) => place !== at && other.id === id) ? 'taken' : null;
}

/** How a level's mark can be read: colour of its text, contrast, and whether its ground had to be changed for it. */
export interface Legibility {
  text: 'black' | 'white';
  ratio: number;
  isAdjusted: boolean;
}

/** Null for what is no colour. */
export function legibilityOf(color: string): Legibility | null {
  const own = parseColour(color);
  if (own === null) return null;
  const mark = markColours(own);
  const ground = parseColour(mark.background) ?? own;
  const text = parseColour(mark.color) ?? own;
  return {
    text: mark.color === '#000000' ? 'black' : 'white',
    ratio: Math.round(contrastOf(ground, text) * 10) / 10,
    isAdjusted: ground.some((part, at) => part !== own[at]),
  };
}
