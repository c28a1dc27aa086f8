import { expect, test } from 'vitest';
import { bodyOf, draftOf, formulaOf } from '@/features/exchange/draft';

const point = (dsid: number) => ({
  device_id: 7,
  device_title: '',
  gateway_id: 'gw-7',
  slave_title: 'Pump',
  dsid,
  ds_name: 'p',
  ds_title: 'Pressure',
  unit: 'bar',
  ds_type: 'num',
  data_type: 'float',
  decimals: null,
});

test('a rule that is opened and saved unchanged stays what it was', () => {
  const row = {
    id: 1,
    title: 'pass on',
    enabled: false,
    source: point(1),
    target: point(2),
    ratio: 0.1,
    bias: -3,
    every_s: 60,
    created_ms: 1,
    last_ms: null,
    last_value: null,
    status: '',
    problem: '',
    home: 'cloud' as const,
    home_reason: '',
  };
  expect(bodyOf(draftOf(row))).toEqual({
    title: 'pass on',
    enabled: false,
    source_dsid: 1,
    target_dsid: 2,
    ratio: 0.1,
    bias: -3,
    every_s: 60,
  });
  expect(draftOf(row).source_device).toEqual({ value: '7', label: 'gw-7', note: 'gw-7' });
});

test.each([
  [1, 0, 'x'],
  [0.1, 0, 'x × 0.1'],
  [2, 5, 'x × 2 + 5'],
  [1, -3, 'x − 3'],
])('%d and %d read %s', (ratio, bias, words) => {
  expect(formulaOf(ratio, bias)).toBe(words);
});
