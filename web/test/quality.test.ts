import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatNumber, formatValue } from '@/lib/numbers';
import { placeOf } from '@/lib/place';
import { QUALITY, brokenLimit, explained, staleAfterMs, toneOf, trust } from '@/lib/quality';

const every5s = { period_ms: 5_000, record: 1 };
const onChange = { period_ms: 5_000, record: 2 };
const reached = { gatewayOnline: true, heardMs: 0, cut: false };
const at = (t_ms: number, quality = 0) => ({ t_ms, value: 1, quality });

test.each([
  ['fresh', trust(at(0), every5s, 5_000, reached), 'good'],
  ['three periods and the way here', trust(at(0), every5s, 20_000, reached), 'good'],
  ['older than that', trust(at(0), every5s, 20_001, reached), 'stale'],
  ['on change: the gateway speaks for it', trust(at(0), onChange, 9e9, { ...reached, heardMs: 9e9 - 30_000 }), 'good'],
  ['on change: nobody speaks for it', trust(at(0), onChange, 9e9, { ...reached, heardMs: 9e9 - 50_001 }), 'stale'],
  ['gateway away', trust(at(0), onChange, 1, { ...reached, gatewayOnline: false }), 'gatewayOffline'],
  [
    'a bad reading stays bad while the gateway is away',
    trust(at(0, 6), every5s, 1, { ...reached, gatewayOnline: false }),
    'deviceError',
  ],
  [
    'cleared because the gateway is away',
    trust({ t_ms: 0, value: null, quality: 5 }, every5s, 1, { ...reached, gatewayOnline: false }),
    'gatewayOffline',
  ],
  [
    'no value of a slave that is away',
    trust({ t_ms: 0, value: null, quality: 5 }, every5s, 1, reached),
    'deviceOffline',
  ],
  ['cloud silent: on change too', trust(at(0), onChange, 1, { ...reached, cut: true }), 'cut'],
  [
    'a bad reading stays bad while the cloud is silent',
    trust(at(0, 6), every5s, 1, { ...reached, cut: true }),
    'deviceError',
  ],
  ['never a value, cloud silent', trust(undefined, every5s, 1, { ...reached, cut: true }), 'none'],
  ['clock not set', trust(at(0, 8), every5s, 1, reached), 'uncertainTime'],
  ['never a value', trust(undefined, every5s, 1, reached), 'none'],
  ['a number that this portal does not know', trust(at(0, 99), every5s, 1, reached), 'unknown'],
])('%s', (_name, found, expected) => {
  expect(found).toBe(expected);
});

test('every period is given three of itself', () => {
  expect([200, 600_000].map((ms) => staleAfterMs(ms, 1))).toEqual([5_600, 1_805_000]);
});

interface Case {
  name: string;
  quality: number;
  age_ms: number;
  period_ms: number;
  record: number;
  online: boolean;
  heard_ago_ms: number | null;
  report_ms?: number;
  judged: number;
}
const cases = JSON.parse(
  readFileSync(new URL('../../broker-config/contract/freshness.json', import.meta.url), 'utf8'),
) as Case[];

test.each(cases.map((one) => [one.name, one] as const))('as the contract has it: %s', (_name, one) => {
  const now = 1_790_000_000_000;
  const contact = {
    gatewayOnline: one.online,
    heardMs: one.heard_ago_ms === null ? 0 : now - one.heard_ago_ms,
    cut: false,
    reportMs: one.report_ms ?? 0,
  };
  const found = trust({ t_ms: now - one.age_ms, value: 1, quality: one.quality }, one, now, contact);
  expect(found === 'gatewayOffline' ? 'stale' : found).toBe(QUALITY[one.judged]);
});

test('limits are broken beyond, not at them', () => {
  expect([
    brokenLimit(95, 40, 95),
    brokenLimit(95.1, 40, 95),
    brokenLimit(39, 40, null),
    brokenLimit('x', 1, 2),
  ]).toEqual([null, 'high', 'low', null]);
});

test.each([
  [1.005, 2, '1.00'],
  [-0.04, 1, '0.0'],
  [-0.06, 1, '-0.1'],
  [48213.55, null, '48213.55'],
  [0.1 + 0.2, null, '0.3'],
  [123456789.125, null, '123456789.13'],
  [7, null, '7'],
  [NaN, 1, '–'],
])('%d with %s decimals', (value, decimals, text) => {
  expect(formatNumber(value, decimals)).toBe(text);
});

const words = { on: 'ON', off: 'OFF' };

test('a switch is told in words, by its position alone', () => {
  const plain = { ds_type: 'swh', decimals: null };
  const alarm = { ...plain, on_text: 'Alarm', off_text: 'Normal' };
  expect([true, 1, false, 0].map((value) => formatValue(value, plain, words))).toEqual(['ON', 'ON', 'OFF', 'OFF']);
  expect([true, false].map((value) => formatValue(value, alarm, words))).toEqual(['Alarm', 'Normal']);
  expect(formatValue(true, { ...plain, off_text: 'Normal' }, words)).toBe('ON');
  expect([5, 170].map((value) => formatValue(value, plain, words))).toEqual(['5', '170']);
  expect(formatValue(null, plain, words)).toBe('–');
  expect([true, 1].map((value) => formatValue(value, { ds_type: 'cal' }, words))).toEqual(['ON', '1']);
  expect(formatValue(1, { ds_type: 'cal', on_text: 'Alarm' }, words)).toBe('Alarm');
});

test('a selector is told by its names; what is not listed stays a number', () => {
  const mode = { ds_type: 'num', decimals: 1, selector: { 0: 'Stop', '2.0': 'Run' } };
  expect([0, 2, 3, null].map((value) => formatValue(value, mode, words))).toEqual(['Stop', 'Run', '3.0', '–']);
});

test('a location is told as a person reads it', () => {
  const format = { ds_type: 'loc' };
  expect(
    ['121.473700,31.230400', '-70.5,-33.25', 'nowhere', null].map((value) => formatValue(value, format, words)),
  ).toEqual(['31.230400°N 121.473700°E', '33.250000°S 70.500000°W', 'nowhere', '–']);
  expect(['121.4737,31.2304', '181,0', '1,2,3', '', 5].map(placeOf)).toEqual([
    { longitude: 121.4737, latitude: 31.2304 },
    null,
    null,
    null,
    null,
  ]);
});

test('a lent port explains what is old, and nothing else', () => {
  expect(
    (['deviceOffline', 'stale', 'portDown', 'good', 'cut', 'gatewayOffline'] as const).map((state) =>
      explained(state, true),
    ),
  ).toEqual(['portLent', 'portLent', 'portLent', 'good', 'cut', 'gatewayOffline']);
  expect(explained('deviceOffline', false)).toBe('deviceOffline');
  expect(toneOf('portLent')).toBe('warn');
});
