import { expect, test } from 'vitest';
import { decimalsOf, typedNumber } from '@/lib/decimal';

test.each([
  ['42.25', 42.25, '42.25'],
  ['0', 0, '0'],
  ['-0.5', -0.5, '-0.5'],
  ['-0', 0, '0'],
  ['007', 7, '7'],
  ['00.50', 0.5, '0.50'],
  ['55,5', 55.5, '55.5'],
  ['55，5', 55.5, '55.5'],
  ['0,125', 0.125, '0.125'],
  ['６０', 60, '60'],
  ['６０．５', 60.5, '60.5'],
  ['60。5', 60.5, '60.5'],
  ['－３', -3, '-3'],
  ['−3', -3, '-3'],
  ['123456789012.345', 123456789012.345, '123456789012.345'],
])('%s is a number', (text, value, plain) => {
  expect(typedNumber(text)).toEqual({ value, plain });
  expect(Object.is(value, -0)).toBe(false);
});

test.each([
  '',
  '.',
  '-',
  '.25',
  '1.',
  '1..2',
  '1.2.3',
  '1,2,3',
  '1.234,5',
  '4e1',
  '4E1',
  '6 1',
  ' 61',
  '61 ',
  '+5',
  '--5',
  '5-',
  '0x10',
  'NaN',
  'Infinity',
  '1_000',
  '42Hz',
  '٣',
  '½',
  '5\n',
  '5\u200b',
])('%j is none', (text) => {
  expect(typedNumber(text)).toEqual({ broken: 'form' });
});

test.each(['1,234', '-12,000', '１，２３４', '－999,999'])('%s could be a thousand or a fraction', (text) => {
  expect(typedNumber(text)).toEqual({ broken: 'thousands' });
});

test('more digits than are kept are refused, not rounded', () => {
  expect(typedNumber('9007199254740993')).toEqual({ broken: 'digits' });
  expect(typedNumber('0.1234567890123456')).toEqual({ broken: 'digits' });
  expect(typedNumber('0.000123456789012345')).toEqual({ value: 0.000123456789012345, plain: '0.000123456789012345' });
});

test('every beginning of a text is either a number of just these digits or none', () => {
  const text = '-1042.2501';
  const found = Array.from({ length: text.length }, (_, end) => typedNumber(text.slice(0, end + 1)));
  expect(found.map((one) => ('value' in one ? one.value : null))).toEqual([
    null,
    -1,
    -10,
    -104,
    -1042,
    null,
    -1042.2,
    -1042.25,
    -1042.25,
    -1042.2501,
  ]);
});

test('digits after the point', () => {
  expect(['5', '5.0', '-5.25'].map(decimalsOf)).toEqual([0, 1, 2]);
});
