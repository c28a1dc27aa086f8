import { decimalsOf, typedNumber } from '@/lib/decimal';
import { choicesOf } from '@/lib/numbers';
import type { PointValue } from '@/lib/quality';
import type { CommandStatus, DataSource, Write } from '@/api/generated/types.gen';

export const STATES = ['create', 'send', 'resp', 'fail', 'networkError', 'notAuthorized', 'error'] as const;
export type CommandState = (typeof STATES)[number];

/** An access password was refused and the user gave another one: the same is to be sent under a new number. */
export class PasswordGiven extends Error {
  override readonly name = 'PasswordGiven';
}

/** States after which nothing changes any more. */
export function isFinal(status: string): boolean {
  return status !== 'create' && status !== 'send';
}

export function isState(text: string): text is CommandState {
  return (STATES as readonly string[]).includes(text);
}

/** What is known of a command's effect beside its state. */
export const OUTCOMES = ['done', 'failed', 'unknown', 'settled_written', 'settled_other'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Outcome of a command that has ended; of one from a cloud that tells none by its state. */
export function outcomeOf({ status, outcome }: Pick<CommandStatus, 'status' | 'outcome'>): Outcome | null {
  if (!isFinal(status)) return null;
  const known = OUTCOMES.find((one) => one === outcome);
  return known ?? (status === 'resp' ? 'done' : 'failed');
}

/** Was the effect unknown at the end, whether it has been settled since or not? */
export function wasUnknown(outcome: Outcome | null): boolean {
  return outcome === 'unknown' || outcome === 'settled_written' || outcome === 'settled_other';
}

export type StepState = 'done' | 'active' | 'waiting' | 'failed' | 'unknown';

export interface Step {
  name: 'created' | 'sent' | 'verified';
  state: StepState;
  at_ms: number | null;
}

/** A command's life in three steps: taken by the cloud, on its way, read back from the device. What was never sent has two. */
export function stepsOf(command: CommandStatus): Step[] {
  const { status, created_ms, sent_ms, finished_ms } = command;
  const wasSent = (sent_ms ?? null) !== null || status === 'send' || status === 'resp';
  const ended = isFinal(status) ? (finished_ms ?? null) : null;
  const failed = isFinal(status) && status !== 'resp';
  const end: StepState = wasUnknown(outcomeOf(command)) ? 'unknown' : 'failed';
  const steps: Step[] = [
    { name: 'created', state: 'done', at_ms: created_ms },
    {
      name: 'sent',
      state: wasSent ? 'done' : failed ? 'failed' : 'active',
      at_ms: wasSent ? (sent_ms ?? null) : ended,
    },
    {
      name: 'verified',
      state: status === 'resp' ? 'done' : !wasSent ? 'waiting' : failed ? end : 'active',
      at_ms: wasSent ? ended : null,
    },
  ];
  return failed && !wasSent ? steps.slice(0, 2) : steps;
}

/** The gateway's own words, where they add something to the code's. */
export function detailOf({ code, detail }: Pick<CommandStatus, 'code' | 'detail'>): string {
  return code === 'not_available' ? '' : detail;
}

export interface Refusal {
  key: string;
  args: Record<string, string>;
}

/** A gateway's sentence of a value that it does not write, as key and arguments; null for one that the portal has no words for. */
export function refusalOf({ code, detail }: Pick<CommandStatus, 'code' | 'detail'>): Refusal | null {
  if (code !== 'bad_value') return null;
  const multiple = /: must be a multiple of ([^\s,;]+)(?:, counted from ([^\s;]+))?; (\S+) would become (\S+)$/.exec(
    detail,
  );
  if (multiple !== null) {
    const [, step = '', from, value = '', nearest = ''] = multiple;
    const args = { step, value, nearest };
    if (from !== undefined) return { key: 'monitor:command.refusal.multipleFrom', args: { ...args, from } };
    return { key: `monitor:command.refusal.${Number(step) === 1 ? 'whole' : 'multiple'}`, args };
  }
  const [, side, limit = ''] = /: must be at (least|most) (\S+)$/.exec(detail) ?? [];
  return side === undefined
    ? null
    : { key: `monitor:command.rule.${side === 'least' ? 'atLeast' : 'atMost'}`, args: { limit } };
}

export type Entry =
  | { kind: 'switch' }
  | { kind: 'choice'; choices: { value: number; name: string }[] }
  | { kind: 'text' }
  | { kind: 'number' };

/** How a new value of a point is entered. */
export function entryOf(source: Pick<DataSource, 'ds_type' | 'data_type' | 'selector'>): Entry {
  if (source.ds_type === 'swh' || source.data_type === 'bool') return { kind: 'switch' };
  if (source.ds_type === 'str' || source.ds_type === 'loc') return { kind: 'text' };
  const choices = choicesOf(source);
  return choices.length > 0 ? { kind: 'choice', choices } : { kind: 'number' };
}

/** A value that a preset holds, as it would be entered: its point may take others by now. */
export function enteredAgain(value: PointValue, source: DataSource): Entered {
  const entry = entryOf(source);
  if (entry.kind === 'number') return enteredNumber(String(value), source);
  if (entry.kind === 'switch')
    return typeof value === 'boolean' ? { value, text: '' } : { rule: { key: 'monitor:command.rule.position' } };
  if (entry.kind === 'text') return { value, text: '' };
  const chosen = entry.choices.find((each) => each.value === value);
  return chosen === undefined
    ? { rule: { key: 'monitor:command.rule.listed' } }
    : { value: chosen.value, text: chosen.name };
}

export interface Rule {
  key: string;
  limit?: number;
}

/** What was entered: the value to send with its text, or the rule that it breaks. Null while nothing is entered. */
export type Entered = { value: PointValue; text: string } | { rule: Rule } | null;

/** A typed number within the point's limits, with no more decimals than the point shows. */
export function enteredNumber(
  text: string,
  { min, max, decimals }: Pick<DataSource, 'min' | 'max' | 'decimals'>,
): Entered {
  if (text === '') return null;
  const typed = typedNumber(text);
  if ('broken' in typed) return { rule: { key: `monitor:command.rule.${typed.broken}` } };
  const { value, plain } = typed;
  const upper = decimals ?? null;
  if (upper === 0 && decimalsOf(plain) > 0) return { rule: { key: 'monitor:command.rule.whole' } };
  if (upper !== null && decimalsOf(plain) > upper)
    return { rule: { key: 'monitor:command.rule.decimals', limit: upper } };
  if (min !== null && min !== undefined && value < min)
    return { rule: { key: 'monitor:command.rule.atLeast', limit: min } };
  if (max !== null && max !== undefined && value > max)
    return { rule: { key: 'monitor:command.rule.atMost', limit: max } };
  return { value, text: plain };
}

/** Actions of the gateway as a whole, as the command log has them. */
const ACTIONS = [
  'R',
  'refresh',
  'forward',
  'reload',
  'reboot',
  'reallocate',
  'csq',
  'configuration',
  'history',
  'revert',
] as const;

/** Key of an action's name; null for one that this portal does not know. */
export function actionKey(action: string): string | null {
  return (ACTIONS as readonly string[]).includes(action) ? `monitor:action.${action}` : null;
}

/** Most writes of a batch, by the cloud. */
export const MAX_WRITES = 200;

/** What stands in the rows of a batch: the writes in the order of the points, and how many rows break a rule. */
export function batchOf(
  sources: readonly Pick<DataSource, 'dsid'>[],
  entered: ReadonlyMap<number, Entered>,
): { writes: Write[]; broken: number } {
  const writes: Write[] = [];
  let broken = 0;
  for (const { dsid } of sources) {
    const one = entered.get(dsid) ?? null;
    if (one === null) continue;
    if ('value' in one) writes.push({ dsid, value: one.value });
    else broken += 1;
  }
  return { writes, broken };
}

export interface Tally {
  total: number;
  done: number;
  failed: number;
  /** Of which nobody knows whether they were carried out. */
  unknown: number;
  isOver: boolean;
}

/** How far a batch is. Commands that nothing was heard of yet are under way. */
export function tallyOf(total: number, commands: readonly Pick<CommandStatus, 'status' | 'outcome'>[]): Tally {
  const counts = { done: 0, failed: 0, unknown: 0 };
  for (const command of commands) {
    const outcome = outcomeOf(command);
    if (outcome === 'settled_written') counts.done += 1;
    else if (outcome === 'settled_other') counts.failed += 1;
    else if (outcome !== null) counts[outcome] += 1;
  }
  return { total, ...counts, isOver: counts.done + counts.failed + counts.unknown >= total };
}

export type SignalLevel = 'unknown' | 'weak' | 'fair' | 'good' | 'excellent';

/** Signal quality of a modem (0 to 31, 3GPP TS 27.007, 8.5) as level and dBm; anything else is unknown. */
export function signalOf(csq: PointValue | undefined): { level: SignalLevel; dbm: number } {
  if (typeof csq !== 'number' || csq < 0 || csq > 31) return { level: 'unknown', dbm: 0 };
  const level = csq < 10 ? 'weak' : csq < 15 ? 'fair' : csq < 20 ? 'good' : 'excellent';
  return { level, dbm: -113 + 2 * csq };
}
