import type { Tone } from './quality';

/** The specification's levels of a status: danger, warning, success and none as tones of values, and info. */
export type BadgeTone = Tone | 'info';

/** Status codes of the platform with the tone that each is shown in. Words: 'base:code.<kind>.<code>'. */
export const STATUS_CODES = {
  /** A device as a list shows it. partly: some of its slaves do not answer; silent: none does; alarm: one is open; new: it never connected. */
  device: { online: 'ok', partly: 'warn', silent: 'bad', offline: 'bad', alarm: 'bad', normal: 'ok', new: 'off' },
  onoff: { 0: 'bad', 1: 'ok' },
  user: { 0: 'off', 1: 'ok' },
  /** Of an alarm's life cycle, after ISA-18.2. */
  alarmState: {
    normal: 'off',
    unacknowledged: 'bad',
    acknowledged: 'warn',
    returned: 'warn',
    latched: 'bad',
    shelved: 'off',
    suppressed: 'off',
    out_of_service: 'off',
  },
  alarmLog: { 0: 'bad', 1: 'ok', 2: 'info' },
  dispatch: { 0: 'warn', 1: 'ok' },
  command: {
    create: 'off',
    send: 'off',
    resp: 'ok',
    fail: 'bad',
    networkError: 'bad',
    notAuthorized: 'bad',
    error: 'bad',
  },
  task: { '-1': 'off', 0: 'ok', 1: 'bad', 2: 'off' },
  file: { generating: 'off', completed: 'ok', failed: 'bad' },
  plan: { 0: 'off', 1: 'warn', 2: 'off', 3: 'bad', 4: 'off', 5: 'off', 6: 'ok', 7: 'ok' },
  workOrder: { 0: 'warn', 1: 'off', 2: 'off', 3: 'ok', 4: 'ok' },
  order: { 0: 'warn', 1: 'ok', 2: 'bad', 3: 'off', 4: 'off' },
} as const satisfies Record<string, Readonly<Record<string | number, BadgeTone>>>;

/** By which lists of devices are filtered; every device has one of them. */
export const DEVICE_STATUSES = ['online', 'partly', 'silent', 'alarm', 'offline'] as const;

/** Parts of the offline ones, by which lists are filtered too: was there before, never came, shut out. */
export const OFFLINE_PARTS = ['away', 'never_connected', 'disabled'] as const;

/** Parts of a status by which lists are filtered; asleep is one of online. */
export const STATUS_PARTS = [...OFFLINE_PARTS, 'asleep'] as const;

export type StatusKind = keyof typeof STATUS_CODES;

/** Tone and key of a code; null for one that this portal does not know. */
export function statusOf(kind: StatusKind, code: string | number): { tone: BadgeTone; key: string } | null {
  const tones: Readonly<Record<string, BadgeTone>> = STATUS_CODES[kind];
  const tone = tones[String(code)];
  return tone === undefined ? null : { tone, key: `base:code.${kind}.${code}` };
}
