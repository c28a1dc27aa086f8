import { parseColour } from './colour';
import type { Rgb } from './colour';

export type Level = 'success' | 'danger' | 'warning' | 'info';

/** A level of the option alarm_levels. */
export interface AlarmLevel {
  id: number;
  title: string;
  color: string;
}

/** Types of alarm events that the platform knows, with the level that they are shown at. */
export const ALARM_TYPES: Readonly<Record<number, Level>> = {
  0: 'success',
  1: 'danger',
  2: 'info',
  3: 'success',
  4: 'warning',
  5: 'warning',
  101: 'danger',
  102: 'warning',
  103: 'warning',
  104: 'warning',
  105: 'warning',
  106: 'warning',
  107: 'warning',
  108: 'warning',
};

/** Above this a type is a level of the user's own. */
export const CUSTOM_ABOVE = 200;

/** What stands for an alarm of unknown type and level. */
const UNKNOWN_COLOUR: Rgb = [224, 49, 49];

export type AlarmLook =
  | { kind: 'known'; type: number; level: Level }
  /** title: '-' when neither type nor level is known. */
  | { kind: 'custom'; title: string; colour: Rgb };

/** How an alarm is shown: by its type, else by the level that it has, or that its type names. */
export function alarmLook(type: number, level: number | null, levels: readonly AlarmLevel[]): AlarmLook {
  const known = ALARM_TYPES[type];
  if (known !== undefined && type <= CUSTOM_ABOVE) return { kind: 'known', type, level: known };
  const own = levels.find((each) => each.id === type) ?? levels.find((each) => each.id === level);
  return { kind: 'custom', title: own?.title || '-', colour: parseColour(own?.color ?? '') ?? UNKNOWN_COLOUR };
}
