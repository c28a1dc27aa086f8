import { expect, test } from 'vitest';
import { formatInterval, parseInterval, PRESET_TIMES_S, presetParts } from '@/lib/interval';

test.each([
  ['30m', 1800],
  ['6h', 21_600],
  ['1d', 86_400],
  [' 1.5 H ', 5400],
  ['0m', 0],
  ['30', null],
  ['', null],
  ['m', null],
  ['-5m', null],
  ['5 min', null],
  ['5s', null],
  ['1h30m', null],
  ['1e3m', null],
])('%j is %s seconds', (text, seconds) => {
  expect(parseInterval(text)).toBe(seconds);
});

test('seconds are taken where the field says so', () => {
  expect([parseInterval('5s', 'smhd'), parseInterval('0.25s', 'smhd'), parseInterval('5', 'smhd')]).toEqual([
    5,
    0.25,
    null,
  ]);
});

test.each([
  [1800, 'mhd', '30m'],
  [5400, 'mhd', '90m'],
  [7200, 'mhd', '2h'],
  [172_800, 'mhd', '2d'],
  [45, 'mhd', '0.75m'],
  [0, 'mhd', '0m'],
  [45, 'smhd', '45s'],
  [0.25, 'smhd', '0.25s'],
  [0, 'smhd', '0s'],
  [60, 'smhd', '1m'],
] as const)('%d seconds are written %s: %s', (seconds, units, text) => {
  expect(formatInterval(seconds, units)).toBe(text);
  expect(parseInterval(text, units)).toBe(seconds);
});

test('the preset times are those of the specification', () => {
  const words = PRESET_TIMES_S.map(presetParts).map(({ count, unit }) => `${count} ${unit}`);
  expect(words).toEqual([
    '1 min',
    '5 min',
    '10 min',
    '15 min',
    '30 min',
    '1 h',
    '3 h',
    '6 h',
    '12 h',
    '1 d',
    '7 d',
    '15 d',
    '30 d',
    '90 d',
  ]);
});
