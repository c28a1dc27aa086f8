import type { Values } from './sections';

/**
 * Bytes of a loop-write task's message as the gateway would send them: the agent's loop_write/message.py, held to the same cases
 * (edge-agent/tests/loop_write/messages.json).
 */

/** A content that cannot be sent. rule: a key of the words, with what stands in them. */
export class BadContent extends Error {
  override readonly name = 'BadContent';
  readonly rule: string;
  readonly args: Record<string, string | number>;

  constructor(rule: string, args: Record<string, string | number> = {}) {
    super(rule);
    this.rule = rule;
    this.args = args;
  }
}

/** Year, month, day, hour, minute, second of a place, and the second since 1970 UTC. */
export interface Moment {
  parts: readonly [number, number, number, number, number, number];
  unix: number;
}

type Order = 'ABCD' | 'CDAB' | 'BADC' | 'DCBA';

const TIME = '{time}';
const MAX_REGISTER_BYTES = 246;
const MAX_MESSAGE_BYTES = 512;
const SIZES: Readonly<Record<string, number>> = {
  uint8: 1,
  int8: 1,
  uint16: 2,
  int16: 2,
  uint32: 4,
  int32: 4,
  uint64: 8,
  int64: 8,
  float: 4,
  double: 8,
};
const LOW_BYTE_FIRST: ReadonlySet<string> = new Set(['BADC', 'DCBA']);

const SHORT: Readonly<Record<string, Order>> = { AB: 'ABCD', BA: 'DCBA' };
const orderOf = (endian: unknown): Order => SHORT[String(endian)] ?? (endian as Order);

/** The local time of a zone of the IANA database, the browser's own without one. Throws BadContent for an unknown zone. */
export function momentIn(zone: string, ms: number): Moment {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone === '' ? undefined : zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const at = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
    return {
      parts: [at('year'), at('month'), at('day'), at('hour'), at('minute'), at('second')],
      unix: Math.floor(ms / 1000),
    };
  } catch {
    throw new BadContent('zone');
  }
}

/** Registers of a Modbus message, or one byte 0 or 1 for a coil. */
export function registerBytes(task: Values, moment: Moment): readonly number[] {
  if (task.reg_type === '0X') {
    if (task.content !== 'number' || (task.value !== 0 && task.value !== 1)) throw new BadContent('bit');
    return [task.value];
  }
  let data = content(task, moment);
  if (data.length % 2 === 1) {
    if (task.content !== 'string') throw new BadContent('wholeRegisters');
    data = [...data, 0];
  }
  if (data.length < 2 || data.length > MAX_REGISTER_BYTES)
    throw new BadContent('registers', { max: MAX_REGISTER_BYTES / 2, given: data.length / 2 });
  const isLaidOut = task.content === 'string' || (task.content === 'real_time' && task.time_format !== 'unix');
  return isLaidOut && LOW_BYTE_FIRST.has(orderOf(task.endian)) ? swapped(data) : data;
}

/** Bytes of a custom message with its checksum. */
export function customBytes(task: Values, moment: Moment): readonly number[] {
  let data: readonly number[];
  if (task.content === 'real_time') {
    const text = task.value === '' ? TIME : textOf(task.value);
    const [before = '', behind, ...more] = text.split(TIME);
    if (behind === undefined || more.length > 0) throw new BadContent('timeOnce', { time: TIME });
    data = [...hexBytes(before), ...content(task, moment), ...hexBytes(behind)];
  } else data = content(task, moment);
  if (task.checksum === 'crc16') data = [...data, ...crc(data)];
  if (task.checksum === 'sum8') data = [...data, data.reduce((sum, byte) => (sum + byte) & 0xff, 0)];
  if (data.length === 0 || data.length > MAX_MESSAGE_BYTES)
    throw new BadContent('messageBytes', { max: MAX_MESSAGE_BYTES, given: data.length });
  return data;
}

/** Pairs of hexadecimal digits, with blanks between them as one likes. */
export function hexBytes(text: string): readonly number[] {
  if (!/^\s*(?:[0-9a-fA-F]{2}\s*)*$/.test(text)) throw new BadContent('hex');
  return (text.match(/[0-9a-fA-F]{2}/g) ?? []).map((pair) => Number.parseInt(pair, 16));
}

/** CRC-16 of Modbus RTU, low byte first (MODBUS over Serial Line V1.02, 6.2.2). */
export function crc(data: readonly number[]): readonly number[] {
  let value = 0xffff;
  for (const byte of data) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? (value >> 1) ^ 0xa001 : value >> 1;
  }
  return [value & 0xff, value >> 8];
}

function content(task: Values, moment: Moment): readonly number[] {
  if (task.content === 'number') return numberBytes(String(task.data_type), orderOf(task.endian), task.value);
  if (task.content === 'real_time') return timeBytes(task, moment);
  const text = textOf(task.value);
  return task.content === 'hex' ? hexBytes(text) : [...new TextEncoder().encode(text)];
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new BadContent('text');
  return value;
}

function numberBytes(type: string, order: Order, value: unknown): readonly number[] {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new BadContent('number');
  const size = SIZES[type] ?? 2;
  const view = new DataView(new ArrayBuffer(size));
  if (type === 'float' || type === 'double') {
    if (type === 'float' && !Number.isFinite(Math.fround(value))) throw new BadContent('fits', { type });
    if (type === 'float') view.setFloat32(0, value);
    else view.setFloat64(0, value);
  } else {
    if (!Number.isInteger(value)) throw new BadContent('fits', { type });
    // Beyond 2^53 a browser's number is not the one that was typed.
    if (!Number.isSafeInteger(value)) throw new BadContent('large', { limit: Number.MAX_SAFE_INTEGER });
    const bits = BigInt(size * 8);
    const [lowest, highest] = type.startsWith('u')
      ? [0n, 2n ** bits - 1n]
      : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
    const number = BigInt(value);
    if (number < lowest || number > highest) throw new BadContent('fits', { type });
    const raw = BigInt.asUintN(size * 8, number);
    for (let at = 0; at < size; at++) view.setUint8(at, Number((raw >> BigInt(8 * (size - 1 - at))) & 0xffn));
  }
  return size === 1 ? [view.getUint8(0)] : inOrder([...new Uint8Array(view.buffer)], order);
}

/** Bytes of a value from the highest one, in an order of its bytes. */
function inOrder(bytes: readonly number[], order: Order): readonly number[] {
  const isLittle = order === 'DCBA' || order === 'CDAB';
  const isSwapped = order === 'BADC' || order === 'CDAB';
  const laid = isLittle ? bytes.toReversed() : bytes;
  return isSwapped ? swapped(laid) : laid;
}

const swapped = (bytes: readonly number[]): readonly number[] => bytes.map((_, at) => bytes[at ^ 1] ?? 0);
const bcd = (number: number): number => Number.parseInt(String(number), 16);

function timeBytes(task: Values, { parts, unix }: Moment): readonly number[] {
  const [year, ...rest] = parts;
  const short = [year % 100, ...rest];
  switch (task.time_format) {
    case 'unix':
      return numberBytes('uint32', orderOf(task.endian), unix);
    case 'bytes':
      return short;
    case 'bcd_bytes':
      return short.map(bcd);
    case 'bcd_registers':
      return parts.map(bcd).flatMap((number) => [number >> 8, number & 0xff]);
    default:
      return parts.flatMap((number) => [number >> 8, number & 0xff]);
  }
}
