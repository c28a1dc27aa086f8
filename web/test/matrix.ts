import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CloudFlags, Screen } from '@/lib/screens';

/** What the permission matrix ought to be, reckoned from the cloud's table and the screens' records alone. */

const PERMISSIONS = fileURLToPath(new URL('../../cloud/cloud/domains/identity/permissions.csv', import.meta.url));
const MATRIX = fileURLToPath(new URL('../../test-output/permissions.csv', import.meta.url));
const HEAD = 'type,switches,kind,name,allowed';

export const USER_TYPES = [0, 1, 2, 3, 4, 5, 6] as const;

/** Switches of the cloud configuration that decide over permissions, in all their positions. */
export const SWITCHES = ['', 'ot', 'rl', 'ot+rl', 'ot+rl+announced'] as const;
export type Switches = (typeof SWITCHES)[number];

export const flagsOf = (on: Switches): CloudFlags => ({
  ot: on.includes('ot') ? 1 : 0,
  rl: on.includes('rl') ? 1 : 0,
  ss: 0,
  rg: 0,
  announced: on.includes('announced') ? 1 : 0,
});

/** Code of a permission to the digits of the user types that have it. */
export const TYPES_OF: ReadonlyMap<string, string> = new Map(
  readFileSync(PERMISSIONS, 'utf8')
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => {
      const [code = '', , , , types = ''] = line.split(',');
      return [code, types];
    }),
);

/** Codes of permissions that open only what is not built, by the cloud's table. */
export const ANNOUNCED: readonly string[] = readFileSync(PERMISSIONS, 'utf8')
  .trim()
  .split(/\r?\n/)
  .slice(1)
  .filter((line) => line.endsWith(',1'))
  .map((line) => line.slice(0, line.indexOf(',')));

/** What a user of the type has who is in no group. */
export function given(type: number, on: Switches): string[] {
  const { ot, rl } = flagsOf(on);
  return [...TYPES_OF].flatMap(([code, types]) => {
    if (!types.includes(String(type))) return [];
    if (ot === 0 && (code === 'OtaManager' || code.startsWith('ota.'))) return [];
    return rl === 0 && code === 'auth.Rule' ? [] : [code];
  });
}

/** The one gate that is no list of permissions: the way to the OTA outside is for who has none here. */
const OUTSIDE_OTA = '/ota-link';

/** Codes that a record asks for, all of them; null for the gate of OUTSIDE_OTA. */
export function asked({ path, permission }: Screen): readonly string[] | null {
  if (permission === null || permission === undefined) return [];
  if (typeof permission === 'string') return [permission];
  if (permission.codes !== undefined) return permission.codes;
  if (path !== OUTSIDE_OTA) throw new Error(`${path} has a gate without codes`);
  return null;
}

/** May a user of the type open the screen, by its record? mine: his permissions. */
export function ought(screen: Screen, type: number, on: Switches, mine: readonly string[] = given(type, on)): boolean {
  if (screen.layout === 'public') return true;
  const codes = asked(screen);
  if (codes === null) return flagsOf(on).ot === 0 || !mine.includes('OtaManager');
  const ofType = screen.userTypes === undefined ? true : screen.userTypes.indexOf(type) >= 0;
  if (screen.pending === true && flagsOf(on).announced === 0) return false;
  const isOn = screen.cloudFlag === undefined ? true : flagsOf(on)[screen.cloudFlag] === 1;
  return ofType && isOn && codes.filter((code) => !mine.includes(code)).length === 0;
}

export interface Cell {
  type: number;
  on: Switches;
  name: string;
  allowed: boolean;
}

/** Put what was found into the generated matrix, in place of earlier rows of the kind. */
export function keep(kind: string, cells: readonly Cell[]): void {
  mkdirSync(fileURLToPath(new URL('../../test-output', import.meta.url)), { recursive: true });
  const others = present().filter((line) => line.split(',')[2] !== kind);
  const rows = cells.map(({ type, on, name, allowed }) => [type, on, kind, name, allowed ? 1 : 0].join(','));
  const part = `${MATRIX}.${process.pid}`;
  writeFileSync(part, `${[HEAD, ...others, ...rows].join('\n')}\n`);
  renameSync(part, MATRIX);
}

function present(): string[] {
  try {
    const [head, ...rows] = readFileSync(MATRIX, 'utf8').trim().split('\n');
    return head === HEAD ? rows : [];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
