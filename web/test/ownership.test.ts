import type { TFunction } from 'i18next';
import { expect, test } from 'vitest';
import { columnsOf } from '@/blocks/points/columns';
import { partOf } from '@/features/devices/draft';
import { offered } from '@/features/users/permissionTree';
import { NO_FLAGS } from '@/lib/screens';

const t = ((key: string) => key) as unknown as TFunction;

test('alarm settings of a point and what the map and charts show of it are editable', () => {
  const columns = columnsOf('alarm', t, { form: undefined, options: {}, language: 'en' }).slice(1);
  const editable = columns.filter(({ write }) => write !== undefined).map(({ key }) => key);
  expect(editable).toEqual([
    'alarm_enable',
    'alarm_mode',
    'alarm_lower2',
    'alarm_lower',
    'alarm_upper',
    'alarm_upper2',
    'alarm_state',
    'alarm_deadband',
    'alarm_delay_s',
    'alarm_off_delay_s',
    'line_color',
    'gis_show',
  ]);
});

test.each([
  ['owner', true, 'owner'],
  ['visitor', true, 'write'],
  ['visitor', false, 'read'],
])('%s who writes %s: %s', (role, writes, part) => {
  expect(partOf({ role, writes })).toBe(part);
});

test('permissions of announced screens are offered only while these are shown', () => {
  const row = { parent: '', zh: '', en: '', types: [0], kind: 'menu', enabled: true };
  const rows = [
    { ...row, code: 'Camera', announced: true },
    { ...row, code: 'Event', announced: false },
  ];
  expect(offered(rows, NO_FLAGS).map(({ code }) => code)).toEqual(['Event']);
  expect(offered(rows, { ...NO_FLAGS, announced: 1 })).toHaveLength(2);
});
