import { expect, test } from 'vitest';
import { bodyOf, bytesText, endpoint, endKey, leftText, lineText, portsOf, reachable } from '@/features/remote/ports';

const document = {
  ports: [
    { name: 'lan', type: 'NET', host: '10.0.0.2', port: 502 },
    { name: 'com1', type: 'COM', device: '/dev/ttyS1', baud: 2400, parity: 'E' },
    { name: 'off', type: 'COM', device: '/dev/ttyS2', enable: false },
    { type: 'COM' },
  ],
};
const [lan, com1] = portsOf(document);
const wish = { port: 'com1', mode: 'rfc2217' as const, idle_s: 60, longest_s: 900 };

test('ports in use, with what a port has that names nothing', () => {
  expect(portsOf(document).map(({ name, where }) => `${name} ${where}`)).toEqual([
    'lan 10.0.0.2:502',
    'com1 /dev/ttyS1',
  ]);
  expect(com1 && lineText(com1.line)).toBe('2400 8E1');
  expect(portsOf({})).toEqual([]);
});

test("a port's own settings stay its own, others are sent whole", () => {
  const line = { baud: 2400, parity: 'E' as const, data_bits: 8 as const, stop_bits: 1 as const };
  expect(bodyOf({ ...wish, line }, com1)).toEqual(wish);
  expect(bodyOf({ ...wish, line: { ...line, baud: 9600 } }, com1)).toEqual({ ...wish, ...line, baud: 9600 });
  expect(bodyOf({ ...wish, port: 'lan', line }, lan)).toEqual({ ...wish, port: 'lan' });
  expect(bodyOf({ ...wish, port: 'typed', line }, undefined)).toEqual({ ...wish, port: 'typed', ...line });
});

test('where to connect', () => {
  expect(endpoint(reachable('0.0.0.0', 'cloud.example'), 7000)).toBe('cloud.example:7000');
  expect(endpoint(reachable('10.1.2.3', 'cloud.example'), 7000)).toBe('10.1.2.3:7000');
  expect(endpoint('::1', 7000)).toBe('[::1]:7000');
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1234, '1.2 kB'],
  [45_600, '46 kB'],
  [3_400_000, '3.4 MB'],
  [9e12, '9000 GB'],
])('%i bytes are %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});

test.each([
  [-5, '0:00'],
  [1, '0:01'],
  [61_000, '1:01'],
  [3_661_000, '1:01:01'],
])('%i ms are left as %s', (ms, text) => {
  expect(leftText(ms)).toBe(text);
});

test('an end without words keeps its code', () => {
  expect(endKey('idle')).toBe('remote:end.idle');
  expect(endKey('new')).toBeNull();
});
