import { expect, test } from 'vitest';
import type { TriggerRow } from '@/api/generated/types.gen';
import {
  bodyOf,
  draftOf,
  emptyDraft,
  formPath,
  missing,
  newCondition,
  newRule,
  problems,
} from '@/features/triggers/draft';
import type { ConditionDraft, Draft } from '@/features/triggers/draft';

const GATEWAY = { value: '5', label: 'Boiler house' };

function draft(...conditions: Partial<ConditionDraft>[]): Draft {
  const rule = { ...newRule('too hot'), conditions: conditions.map((one) => ({ ...newCondition(GATEWAY), ...one })) };
  return { ...emptyDraft(), title: 'boiler', rules: [rule] };
}

const sent = (one: Partial<ConditionDraft>): unknown =>
  bodyOf(draft({ subject: '11', ...one })).rules[0]?.conditions[0];

test('of a condition only what its type has is sent', () => {
  expect(sent({ op: '1', threshold: '90', low: 1, magnitude: 7, deadband: '2' })).toEqual({
    type: 1,
    dsid: 11,
    trigger_optype: 1,
    trigger_threshold: 90,
    deadband: 2,
  });
  expect(sent({ op: '7', threshold: 3, low: '10', high: 90, deadband: 1 })).toMatchObject({
    trigger_threshold: { lolmt: 10, uplmt: 90 },
    deadband: 1,
  });
  expect(sent({ op: '5', threshold: 1, deadband: 4 })).toMatchObject({ trigger_optype: 5, deadband: 0 });
  expect(sent({ type: '2', duration_s: 60, deadband: 0.5 })).toEqual({
    type: 2,
    dsid: 11,
    duration_s: 60,
    deadband: 0.5,
  });
  expect(sent({ type: '3', magnitude: 5 })).toEqual({ type: 3, dsid: 11, magnitude: 5 });
  expect(sent({ type: '4', direction: 'down', count: 4, magnitude: 0 })).toEqual({
    type: 4,
    dsid: 11,
    direction: 'down',
    count: 4,
    magnitude: 0,
  });
  expect(sent({ type: '5' })).toEqual({ type: 5, slave_id: 11 });
  expect(sent({ type: '6' })).toEqual({ type: 6, dsid: 11 });
});

test('the mode follows from the points, the interval from the type', () => {
  const one = draft({ subject: '11', threshold: 1 }, { subject: '11', threshold: 2 });
  expect(bodyOf({ ...one, interval_s: 30 })).toMatchObject({ mode: 1, type: 1, interval_s: 0 });
  const two = draft({ subject: '11', threshold: 1 }, { subject: '11', type: '5' });
  expect(bodyOf({ ...two, type: '2', interval_s: '30' })).toMatchObject({ mode: 2, type: 2, interval_s: 30 });
});

test('what is empty and needed is named as the form names it', () => {
  expect(missing({ ...draft({ subject: '11', threshold: 5 }), title: ' ' })).toEqual(['title']);
  expect(missing(draft({ subject: null, threshold: '' }))).toEqual([
    'rules.0.conditions.0.subject',
    'rules.0.conditions.0.threshold',
  ]);
  expect(missing(draft({ subject: '1', op: '6', low: 1, high: '', deadband: '' }))).toEqual([
    'rules.0.conditions.0.high',
    'rules.0.conditions.0.deadband',
  ]);
  expect(missing({ ...draft({ subject: '1', type: '5' }), type: '2', interval_s: '' })).toEqual(['interval_s']);
  expect(missing(draft({ subject: '1', type: '3', magnitude: 0 }))).toEqual([]);
});

test('what was saved fills the form, and comes out as it was', () => {
  const subjects = [
    {
      device_id: 5,
      device_title: 'Boiler house',
      slave_id: 3,
      slave_title: 'Boiler',
      dsid: 11,
      ds_title: 'T',
      unit: '°C',
      removed: false,
    },
    {
      device_id: 6,
      device_title: 'Pump',
      slave_id: 4,
      slave_title: 'Meter',
      dsid: null,
      ds_title: '',
      unit: '',
      removed: false,
    },
  ];
  const rule = {
    id: 8,
    title: 'too hot',
    logic: 2 as const,
    delay_s: 5,
    off_delay_s: 0,
    again_s: 600,
    alarm_notify: true,
    alarm_type: 104,
    level: null,
    latched: false,
    groups: [3, 4],
    conditions: [
      {
        type: 1 as const,
        dsid: 11,
        trigger_optype: 7 as const,
        trigger_threshold: { lolmt: 1, uplmt: 9 },
        deadband: 0.5,
      },
      { type: 5 as const, slave_id: 4 },
    ],
    linkage: [{ on: 'cleared' as const, preset_id: 2 }],
  };
  const row = {
    id: 1,
    title: 'boiler',
    type: 1,
    mode: 2,
    interval_s: 0,
    enabled: false,
    rules: [{ ...rule, version: 3, state: null }],
    subjects,
    groups: [{ id: 3, title: 'Shift' }],
    presets: [{ id: 2, title: 'down', device_id: 6, device_title: 'Pump' }],
  } as unknown as TriggerRow;
  const form = draftOf(row);
  expect(form.rules[0]?.conditions.map(({ device }) => device?.label)).toEqual(['Boiler house', 'Pump']);
  expect(form.rules[0]?.groups.map(({ label }) => label)).toEqual(['Shift', '#4']);
  expect(form.rules[0]?.linkage[0]?.device?.value).toBe('6');
  expect(bodyOf(form)).toEqual({ title: 'boiler', type: 1, mode: 2, interval_s: 0, enabled: false, rules: [rule] });
});

test('a number that is none, one that is too large and a range turned round are told', () => {
  const wrong = (one: Partial<ConditionDraft>): unknown => problems(draft({ subject: '11', ...one }));
  const at = 'rules.0.conditions.0';
  expect(wrong({ threshold: '90' })).toEqual({});
  expect(wrong({ threshold: '-' })).toEqual({ [`${at}.threshold`]: 'number' });
  expect(wrong({ threshold: 1e16 })).toEqual({ [`${at}.threshold`]: 'number' });
  expect(wrong({ threshold: '' })).toEqual({ [`${at}.threshold`]: 'needed' });
  expect(wrong({ op: '6', low: 5, high: 4 })).toEqual({ [`${at}.high`]: 'order' });
  expect(wrong({ op: '6', low: 4, high: 4 })).toEqual({});
});

test.each([
  ['title', 'title'],
  ['rules.0.again_s', 'rules.0.again_min'],
  ['rules.0.level', 'rules.0.alarm_type'],
  ['rules.0.conditions.0.dsid', 'rules.0.conditions.0.subject'],
  ['rules.0.conditions.0.trigger_threshold', 'rules.0.conditions.0.threshold'],
  ['rules.0.conditions.1.trigger_threshold', 'rules.0.conditions.1.low'],
  ['rules.0.conditions.1.trigger_threshold.uplmt', 'rules.0.conditions.1.high'],
  ['rules.0.conditions.0.clear', null],
  ['rules.0.linkage.2.preset_id', 'rules.0.linkage.2.preset'],
  ['rules.7.title', null],
  ['mode', null],
])('a field of the API is one of the form: %s', (path, field) => {
  expect(formPath(path, draft({ op: '1' }, { op: '6' }))).toBe(field);
});
