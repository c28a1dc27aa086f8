import { BadContent, crc, customBytes, hexBytes, registerBytes } from './message';
import type { Moment } from './message';
import { brokenIn, TASK_FIELDS, valueOf } from './sections';
import type { Broken, Row, Values } from './sections';

/** A part of what is sent, with a key of its name. */
export interface Part {
  name: 'unit' | 'function' | 'address' | 'count' | 'length' | 'content' | 'checksum';
  bytes: readonly number[];
}

/** A slave of the newest configuration, as far as a message needs it. */
export interface Target {
  name: string;
  title: string;
  /** Does its protocol have registers that are written by their type and address? */
  hasRegisters: boolean;
  isSerial: boolean;
  fields: Row;
}

const word = (number: number): readonly number[] => [(number >> 8) & 0xff, number & 0xff];
export const isCustom = ({ message }: Values): boolean => message === 'custom';

/**
 * What a task sends to its slave, in parts. Of a Modbus message unit and PDU, with the checksum of a serial line; what TCP sets
 * before it differs with each request. Throws BadContent.
 */
export function frameOf(task: Values, target: Target | undefined, moment: Moment): readonly Part[] {
  if (isCustom(task)) {
    const all = customBytes(task, moment);
    const sum = { crc16: 2, sum8: 1 }[String(task.checksum)] ?? 0;
    const body: Part = { name: 'content', bytes: all.slice(0, all.length - sum) };
    return sum === 0 ? [body] : [body, { name: 'checksum', bytes: all.slice(-sum) }];
  }
  const data = registerBytes(task, moment);
  const options = (target?.fields.options ?? {}) as Row;
  const start = Number(task.offset) - (options.one_based === true ? 1 : 0);
  const unit = Number(options.unit_id ?? target?.fields.address ?? 1);
  const parts: Part[] = [{ name: 'unit', bytes: [unit & 0xff] }, ...requestOf(task, start, data, options)];
  if (target?.isSerial !== true) return parts;
  return [...parts, { name: 'checksum', bytes: crc(parts.flatMap(({ bytes }) => bytes)) }];
}

/** MODBUS Application Protocol V1.1b3, 6.5, 6.6, 6.11 and 6.12. */
function requestOf(task: Values, start: number, data: readonly number[], options: Row): readonly Part[] {
  const isBit = task.reg_type === '0X';
  const several = options.write_multiple === true || data.length > 2;
  const code = isBit ? (several ? 0x0f : 0x05) : several ? 0x10 : 0x06;
  const head: readonly Part[] = [
    { name: 'function', bytes: [code] },
    { name: 'address', bytes: word(start) },
  ];
  if (!several) return [...head, { name: 'content', bytes: isBit ? word(data[0] === 1 ? 0xff00 : 0) : data }];
  return [
    ...head,
    { name: 'count', bytes: word(isBit ? 1 : data.length / 2) },
    { name: 'length', bytes: [data.length] },
    { name: 'content', bytes: data },
  ];
}

export const hexText = (bytes: readonly number[]): string =>
  bytes.map((byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join(' ');

/** What does not go with the kind of message or content, and so is no part of the task's row. */
export function withoutForeign(values: Values): Values {
  const custom = isCustom(values);
  const isCoil = !custom && values.reg_type === '0X';
  const isTime = values.content === 'real_time';
  return {
    ...values,
    content: isCoil ? 'number' : values.content,
    data_type: isCoil || values.content !== 'number' ? valueOf(TASK_FIELDS, {}, 'data_type') : values.data_type,
    reg_type: custom ? '4X' : values.reg_type,
    offset: custom ? '' : values.offset,
    checksum: custom ? values.checksum : 'none',
    expect: custom ? values.expect : '',
    answer_timeout_ms:
      custom && values.expect !== '' ? values.answer_timeout_ms : valueOf(TASK_FIELDS, {}, 'answer_timeout_ms'),
    value: isTime && !custom ? '' : values.value,
    time_format: isTime ? values.time_format : 'registers',
    time_zone: isTime ? values.time_zone : '',
  };
}

/** What is wrong with a task by the names of its fields, as the gateway judges it too. */
export function taskBroken(
  given: Values,
  target: Target | undefined,
  moment: (zone: string) => Moment,
): Record<string, Broken> {
  const task = withoutForeign(given);
  const fields = TASK_FIELDS.filter(({ name }) => name !== 'value');
  const broken = brokenIn(fields, task);
  if (!isCustom(task)) {
    if (task.offset === '') broken.offset = { rule: 'required' };
    if (target !== undefined && !target.hasRegisters)
      broken.message = { rule: 'customOnly', args: { slave: target.name } };
    const base = (target?.fields.options as Row | undefined)?.one_based === true ? 1 : 0;
    if (task.offset !== '' && Number(task.offset) < base) broken.offset = { rule: 'oneBased' };
    if (!String(task.data_type).match(/^u?int8$/)) note('value', () => registerBytes(task, moment('')));
    else if (task.content === 'number' && task.reg_type !== '0X') broken.data_type = { rule: 'wholeRegisters' };
  } else {
    note('value', () => customBytes(task, moment('')));
    note('expect', () => hexBytes(String(task.expect)));
  }
  if (task.time_zone !== '') note('time_zone', () => moment(String(task.time_zone)));
  return broken;

  function note(field: string, make: () => unknown): void {
    try {
      make();
    } catch (error) {
      if (!(error instanceof BadContent)) throw error;
      broken[field] ??= { rule: error.rule, args: error.args };
    }
  }
}
