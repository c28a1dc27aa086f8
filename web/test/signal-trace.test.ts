import { expect, test } from 'vitest';
import { MAX_HELD, TraceBuffer } from '@/features/signal-trace/buffer';
import type { TraceLine } from '@/features/signal-trace/buffer';
import { choices, filtered, isBad, NO_FILTERS } from '@/features/signal-trace/filters';
import { asJsonLines, asText, entryText, hexDump } from '@/features/signal-trace/texts';
import type { TraceEntry, TracePush } from '@/lib/live';

const T_MS = 1_790_000_000_000;

function entry(seq: number, changes: Partial<TraceEntry> = {}): TraceEntry {
  return { seq, t_ms: T_MS + seq, kind: 'log', source: 'bus', text: `line ${seq}`, ...changes };
}

function push(numbers: readonly number[], changes: Partial<TracePush> = {}): TracePush {
  const entries = numbers.map((seq) => entry(seq));
  return { did: 1, since_ms: 1, upto: numbers.at(-1) ?? 0, entries, ...changes };
}

const said = (buffer: TraceBuffer): (number | string)[] =>
  buffer.lines.map((line) => (line.entry === null ? `-${line.missing}` : line.entry.seq));

test('entries come in order, each once, with what is missing between', () => {
  const buffer = new TraceBuffer();
  buffer.take(push([], { upto: 0 }));
  buffer.take(push([1, 2]));
  buffer.take(push([1, 2])); // delivered twice
  buffer.take(push([5, 6]));
  buffer.take(push([9], { upto: 12 }));
  expect(said(buffer)).toEqual([1, 2, '-2', 5, 6, '-2', 9, '-3']);
  expect(buffer.counts).toEqual({ received: 5, missing: 7, forgotten: 0 });
  buffer.take(push([13]));
  expect(said(buffer).at(-1)).toBe(13);
});

test('the first entries of all are missing when they were dropped', () => {
  const buffer = new TraceBuffer();
  buffer.take(push([], { upto: 0 }));
  buffer.take(push([3]));
  expect(said(buffer)).toEqual(['-2', 3]);
});

test('who joins a trace misses nothing of what went before', () => {
  const buffer = new TraceBuffer();
  buffer.take(push([700, 701]));
  expect(said(buffer)).toEqual([700, 701]);
  expect(buffer.counts.missing).toBe(0);
});

test('a trace that begins anew is numbered anew', () => {
  const buffer = new TraceBuffer();
  buffer.take(push([7]));
  buffer.take(push([1], { since_ms: 2 }));
  expect(said(buffer)).toEqual([7, 1]);
});

test('the oldest lines go, counted', () => {
  const buffer = new TraceBuffer();
  buffer.take(push(Array.from({ length: MAX_HELD }, (_, n) => n + 1)));
  buffer.take(push([MAX_HELD + 1, MAX_HELD + 2]));
  expect(buffer.lines).toHaveLength(MAX_HELD);
  expect(said(buffer)[0]).toBe(3);
  expect(buffer.counts.forgotten).toBe(2);
  buffer.clear();
  buffer.take(push([MAX_HELD + 3]));
  expect(said(buffer)).toEqual([MAX_HELD + 3]);
  expect(buffer.counts).toEqual({ received: 1, missing: 0, forgotten: 0 });
});

const FRAME = entry(1, {
  kind: 'frame',
  source: 'line',
  device: 'boiler',
  direction: 'sent',
  text: '',
  data: '0103000A0002',
  size: 6,
  fields: { direction: 'request', name: 'read holding registers' },
});
const LOST = entry(2, { kind: 'device', source: 'line', device: 'pump', code: 'lost', text: 'pump is offline' });
const LINES: TraceLine[] = [
  { key: 1, entry: FRAME, missing: 0 },
  { key: 2, entry: LOST, missing: 0 },
  { key: 3, entry: null, missing: 4, t_ms: T_MS },
];

test.each([
  [{}, [1, 2, 3]],
  [{ kind: 'frame' }, [1, 3]],
  [{ device: 'pump' }, [2, 3]],
  [{ source: 'other' }, [3]],
  [{ direction: 'sent' }, [1, 3]],
  [{ isErrorsOnly: true }, [2, 3]],
  [{ text: '03 00 0a' }, [1, 3]],
  [{ text: '03000a' }, [1, 3]],
  [{ text: 'HOLDING' }, [1, 3]],
  [{ text: ' offline ' }, [2, 3]],
])('filters %j leave %j', (filters, keys) => {
  expect(filtered(LINES, { ...NO_FILTERS, ...filters }).map(({ key }) => key)).toEqual(keys);
});

test('choices are what there is, in order', () => {
  expect(choices(LINES, 'device')).toEqual(['boiler', 'pump']);
  expect(choices(LINES, 'source')).toEqual(['line']);
});

test('what is an error', () => {
  expect(isBad(LOST)).toBe(true);
  expect(isBad(FRAME)).toBe(false);
  expect(isBad(entry(3, { error: 'checksum' }))).toBe(true);
  expect(isBad(entry(3, { fields: { exception: 2 } }))).toBe(true);
  expect(isBad(entry(3, { fields: { refused: true } }))).toBe(true);
  expect(isBad(entry(3, { fields: { refused: false } }))).toBe(false);
});

test('bytes stand in rows of sixteen, with what is printable', () => {
  expect(hexDump('41420001FF')).toBe(`0000  41 42 00 01 FF${' '.repeat(33)}  AB...`);
  expect(hexDump('30'.repeat(17)).split('\n')[1]).toMatch(/^0010 {2}30 +0$/);
});

test('files hold every line, with what is missing', () => {
  expect(entryText(FRAME)).toBe(
    `${new Date(T_MS + 1).toISOString()} frame line boiler > 01 03 00 0A 00 02 name=read holding registers`,
  );
  expect(asText(LINES, (count) => `${count} missing`).split('\n')).toEqual([
    entryText(FRAME),
    entryText(LOST),
    '-- 4 missing',
    '',
  ]);
  const objects = asJsonLines(LINES)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(objects).toEqual([FRAME, LOST, { missing: 4, t_ms: T_MS }]);
});

test('bytes that are hidden come as their number', () => {
  expect(entryText(entry(1, { kind: 'frame', hidden: true, size: 24, data: '', text: '' }))).toContain('(24 bytes)');
});
