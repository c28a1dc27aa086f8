import { expect, test } from 'vitest';
import type { TaskRow } from '@/api/generated/types.gen';
import { bodyOf, draftOf, emptyDraft, missingOf, previewOf, sortOf } from '@/features/tasks/draft';
import type { Draft } from '@/features/tasks/draft';
import { formulaOf } from '@/features/tasks/components/useTaskWords';

const POINT = {
  dsid: 7,
  device_id: 3,
  device_title: 'Boiler',
  slave_title: 'Burner',
  ds_title: 'Flame',
  ds_type: 'swh',
  data_type: 'bool',
  unit: '',
  decimals: null,
};

const ROW: TaskRow = {
  id: 1,
  title: 'Morning',
  enabled: true,
  schedule: {
    kind: 'cyclic',
    zone: 'Asia/Shanghai',
    times: [],
    weekdays: [1, 5],
    interval_min: 30,
    window: { begin: '06:00', end: '22:00' },
    begin: '2026-11-01',
    end: null,
    late_min: 10,
  },
  calendar_id: 4,
  calendar_title: '2026',
  actions: [
    { kind: 'write', dsid: 7, value: false },
    { kind: 'preset', preset_id: 2 },
    { kind: 'formula', source_dsid: 7, dsid: 7, ratio: 0.5, bias: -1 },
    { kind: 'command', device_id: 3, command: 'refresh' },
  ],
  points: [POINT],
  presets: [{ id: 2, title: 'Start', device_id: 3, device_title: 'Boiler' }],
  devices: [{ device_id: 3, device_title: 'Boiler' }],
  next_ms: null,
  last: null,
  home: 'cloud',
  home_reason: '',
  lost_runs: 0,
  user_name: 'plant',
  created_ms: 0,
  changed_ms: 1,
};

const valid = (changes: Partial<Draft>): Draft => ({ ...draftOf(ROW), ...changes });

test('a task that is opened and saved stays what it was', () => {
  const { title, enabled, schedule, calendar_id, actions } = ROW;
  expect(bodyOf(draftOf(ROW))).toEqual({ title, enabled, schedule, calendar_id, actions });
  expect(missingOf(draftOf(ROW))).toEqual([]);
});

test('a kind sends what belongs to it alone', () => {
  const once = bodyOf(valid({ kind: 'once', times: ['08:00', '09:00'] }));
  expect(once.schedule).toMatchObject({ times: ['08:00'], weekdays: [], interval_min: null, end: null });
  expect(once.calendar_id).toBeNull();
  const daily = bodyOf(valid({ kind: 'daily', times: ['08:00', '09:00'] })).schedule;
  expect(daily).toMatchObject({
    times: ['08:00', '09:00'],
    interval_min: null,
    window: { begin: '00:00', end: '23:59' },
  });
});

test.each([
  [valid({ title: ' ' }), ['title']],
  [valid({ kind: 'daily', times: [] }), ['times']],
  [valid({ kind: 'daily', times: ['8:00'] }), ['times']],
  [valid({ kind: 'once', times: ['08:00'], begin: '' }), ['begin']],
  [valid({ interval_min: '' }), ['interval_min']],
  [valid({ interval_min: 1440, begin: '' }), ['begin']],
  [valid({ late_min: '' }), ['late_min']],
])('what is missing is named by its input', (draft, missing) => {
  expect(missingOf(draft)).toEqual(missing);
});

test('an action says what it lacks', () => {
  const [empty] = emptyDraft().actions;
  expect(empty).toBeDefined();
  const draft = valid({ actions: empty === undefined ? [] : [empty, { ...empty, kind: 'formula', ratio: '' }] });
  expect(missingOf(draft)).toEqual([
    'actions.0.device',
    'actions.0.dsid',
    'actions.0.value',
    'actions.1.device',
    'actions.1.dsid',
    'actions.1.source_device',
    'actions.1.source_dsid',
    'actions.1.ratio',
  ]);
});

test('the next runs are asked for once a schedule is complete', () => {
  expect(previewOf(valid({ kind: 'daily', times: [] }))).toBeNull();
  expect(previewOf(draftOf(ROW))).toEqual({
    kind: 'cyclic',
    zone: 'Asia/Shanghai',
    times: [],
    weekdays: [1, 5],
    interval_min: 30,
    window_begin: '06:00',
    window_end: '22:00',
    begin: '2026-11-01',
    end: undefined,
    calendar_id: 4,
  });
});

test('values are entered as their point takes them', () => {
  expect(sortOf(POINT)).toBe('switch');
  expect(sortOf({ ds_type: 'num', data_type: 'bool' })).toBe('switch');
  expect(sortOf({ ds_type: 'str', data_type: 'string' })).toBe('text');
  expect(sortOf({ ds_type: 'num', data_type: 'float32' })).toBe('number');
});

test('a conversion reads as it is computed', () => {
  expect(formulaOf('x', 1, 0)).toBe('x');
  expect(formulaOf('x', 0.1, 0)).toBe('x × 0.1');
  expect(formulaOf('x', 2, -5)).toBe('x × 2 − 5');
});
