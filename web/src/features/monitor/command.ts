import { decimalsOf, typedNumber } from '@/lib/decimal';
import type { PointValue } from '@/lib/quality';
import type { CommandStatus, DataSource } from './api';

export const STATES = ['create', 'send', 'resp', 'fail', 'networkError', 'notAuthorized', 'error'] as const;
export type CommandState = (typeof STATES)[number];

/** States after which nothing changes any more. */
export function isFinal(status: string): boolean {
  return status !== 'create' && status !== 'send';
}

export function isState(text: string): text is CommandState {
  return (STATES as readonly string[]).includes(text);
}

export type StepState = 'done' | 'active' | 'waiting' | 'failed';

export interface Step {
  name: 'created' | 'sent' | 'verified';
  state: StepState;
  at_ms: number | null;
}

/** A command's life in three steps: taken by the cloud, on its way, read back from the device. */
export function stepsOf(command: CommandStatus): Step[] {
  const { status, created_ms, sent_ms, finished_ms } = command;
  const wasSent = (sent_ms ?? null) !== null || status === 'send' || status === 'resp';
  const ended = isFinal(status) ? (finished_ms ?? null) : null;
  const failed = isFinal(status) && status !== 'resp';
  return [
    { name: 'created', state: 'done', at_ms: created_ms },
    {
      name: 'sent',
      state: wasSent ? 'done' : failed ? 'failed' : 'active',
      at_ms: wasSent ? (sent_ms ?? null) : ended,
    },
    {
      name: 'verified',
      state: status === 'resp' ? 'done' : !wasSent ? 'waiting' : failed ? 'failed' : 'active',
      at_ms: wasSent ? ended : null,
    },
  ];
}

const CODES = [
  'offline', 'link_down', 'no_answer', 'expired', 'no_such_point', 'read_only', 'bad_value', 'device_error',
  'bad_frame', 'port_down', 'bus_error', 'mismatch', 'late', 'write_only',
  'busy', 'interrupted',
] as const;

/** Key of the text for why a command failed; null for an unknown code. */
export function codeKey(code: string): string | null {
  return (CODES as readonly string[]).includes(code) ? `monitor:code.${code}` : null;
}

export type Entry = { kind: 'switch'; on: PointValue; off: PointValue } | { kind: 'text' } | { kind: 'number' };

/** How a new value of a point is entered. */
export function entryOf(source: Pick<DataSource, 'ds_type' | 'data_type' | 'on_value' | 'off_value'>): Entry {
  if (source.ds_type === 'swh' || source.data_type === 'bool') {
    return { kind: 'switch', on: source.on_value ?? true, off: source.off_value ?? false };
  }
  if (source.ds_type === 'str' || source.ds_type === 'loc') return { kind: 'text' };
  return { kind: 'number' };
}

export interface Rule {
  key: string;
  limit?: number;
}

/** What was entered: the value to send with its text, or the rule that it breaks. Null while nothing is entered. */
export type Entered = { value: PointValue; text: string } | { rule: Rule } | null;

/** A typed number within the point's limits, with no more decimals than the point shows. */
export function enteredNumber(text: string, { min, max, decimals }: Pick<DataSource, 'min' | 'max' | 'decimals'>): Entered {
  if (text === '') return null;
  const typed = typedNumber(text);
  if ('broken' in typed) return { rule: { key: `monitor:command.rule.${typed.broken}` } };
  const { value, plain } = typed;
  const most = decimals ?? null;
  if (most === 0 && decimalsOf(plain) > 0) return { rule: { key: 'monitor:command.rule.whole' } };
  if (most !== null && decimalsOf(plain) > most) return { rule: { key: 'monitor:command.rule.decimals', limit: most } };
  if (min !== null && min !== undefined && value < min) return { rule: { key: 'monitor:command.rule.atLeast', limit: min } };
  if (max !== null && max !== undefined && value > max) return { rule: { key: 'monitor:command.rule.atMost', limit: max } };
  return { value, text: plain };
}
