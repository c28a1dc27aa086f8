import { expect, test } from 'vitest';
import type { CommandStatus, DataSource } from '@/features/monitor/api';
import {
  batchOf,
  enteredAgain,
  enteredNumber,
  entryOf,
  isFinal,
  outcomeOf,
  refusalOf,
  signalOf,
  STATES,
  stepsOf,
  tallyOf,
} from '@/features/monitor/command';
import { codeKey } from '@/lib/commandCodes';
import { useModems } from '@/features/monitor/modems';
import { reasonKey } from '@/lib/reasons';

const command = (status: string, sent_ms: number | null = null, finished_ms: number | null = null): CommandStatus => ({
  id: 'c',
  status,
  device_id: 1,
  dsid: 1,
  action: 'W',
  value: 1,
  result_value: null,
  quality: null,
  latency_ms: null,
  code: '',
  detail: '',
  created_ms: 1,
  sent_ms,
  finished_ms,
  user: 'u',
});
const states = (one: CommandStatus): string =>
  stepsOf(one)
    .map((step) => step.state)
    .join(' ');

test.each([
  [command('create'), 'done active waiting'],
  [command('send', 2), 'done done active'],
  [command('resp', 2, 3), 'done done done'],
  [command('fail', 2, 3), 'done done failed'],
  [command('networkError', null, 3), 'done failed'],
  [command('networkError', 2, 3), 'done done failed'],
])('%o', (one, expected) => {
  expect(states(one)).toBe(expected);
});

test('a write of which no answer came is unknown, not failed', () => {
  const unknown = { ...command('fail', 2, 3), outcome: 'unknown' };
  expect(states(unknown)).toBe('done done unknown');
  expect(outcomeOf(unknown)).toBe('unknown');
  expect(outcomeOf({ ...unknown, outcome: 'settled_written' })).toBe('settled_written');
  expect([outcomeOf(command('send', 2)), outcomeOf(command('fail', 2, 3)), outcomeOf(command('resp', 2, 3))]).toEqual([
    null,
    'failed',
    'done',
  ]);
});

test.each([
  ['sp: must be a multiple of 1; 85.5 would become 86', 'refusal.whole', { step: '1', value: '85.5', nearest: '86' }],
  [
    'sp: must be a multiple of 0.1; 12.34 would become 12.3',
    'refusal.multiple',
    { step: '0.1', value: '12.34', nearest: '12.3' },
  ],
  [
    'sp: must be a multiple of 10, counted from 3; 25 would become 23',
    'refusal.multipleFrom',
    { step: '10', from: '3', value: '25', nearest: '23' },
  ],
  ['sp: must be at most 95.0', 'rule.atMost', { limit: '95.0' }],
])('the refusal %j of the gateway is said in words', (detail, key, args) => {
  expect(refusalOf({ code: 'bad_value', detail })).toEqual({ key: `monitor:command.${key}`, args });
  expect(refusalOf({ code: 'device_error', detail })).toBeNull();
});

test('a refusal without words of the portal stays as it is', () => {
  expect(refusalOf({ code: 'bad_value', detail: 'sp: must be a finite number' })).toBeNull();
});

test('two states go on, five are final', () => {
  expect(STATES.filter((state) => !isFinal(state))).toEqual(['create', 'send']);
});

const rule = (name: string, limit?: number) => ({
  rule: { key: `monitor:command.rule.${name}`, ...(limit === undefined ? {} : { limit }) },
});

test.each([
  ['', null],
  ['39.9', rule('atLeast', 40)],
  ['40', { value: 40, text: '40' }],
  ['42.25', { value: 42.25, text: '42.25' }],
  ['42,25', { value: 42.25, text: '42.25' }],
  ['042.0', { value: 42, text: '42.0' }],
  ['42.256', rule('decimals', 2)],
  ['95', { value: 95, text: '95' }],
  ['95.1', rule('atMost', 95)],
  ['4e1', rule('form')],
  ['6 1', rule('form')],
  ['1,234', rule('thousands')],
  ['9007199254740993', rule('digits')],
] as const)('%j for 40 to 95 with two decimals', (text, found) => {
  expect(enteredNumber(text, { min: 40, max: 95, decimals: 2 })).toEqual(found);
});

test('a whole number has no point; without a number of decimals any will do', () => {
  expect(enteredNumber('5.0', { min: null, max: null, decimals: 0 })).toEqual(rule('whole'));
  expect(enteredNumber('0.00001', { min: null, max: null, decimals: null })).toEqual({
    value: 0.00001,
    text: '0.00001',
  });
});

test('zero is a limit too', () => {
  expect(enteredNumber('-1', { min: 0, max: null, decimals: null })).toEqual(rule('atLeast', 0));
  expect(enteredNumber('1', { min: null, max: 0, decimals: null })).toEqual(rule('atMost', 0));
});

test('a switch is entered as a position, a selector by its names', () => {
  const point = { ds_type: 'swh', data_type: 'uint16' };
  const selector = { 2: 'Run', 0: 'Stop', '-1': 'Service' };
  expect(entryOf(point)).toEqual({ kind: 'switch' });
  expect(entryOf({ ...point, ds_type: 'num' })).toEqual({ kind: 'number' });
  expect(entryOf({ ...point, ds_type: 'num', selector })).toEqual({
    kind: 'choice',
    choices: [
      { value: -1, name: 'Service' },
      { value: 0, name: 'Stop' },
      { value: 2, name: 'Run' },
    ],
  });
});

test('what a preset holds is entered again only where its point takes it', () => {
  const source = { ds_type: 'swh', data_type: 'uint16', min: null, max: null, decimals: null } as DataSource;
  const mode = { ...source, ds_type: 'num', selector: { 0: 'Stop', 2: 'Run' } };
  expect(enteredAgain(false, source)).toMatchObject({ value: false });
  expect([0, 1, 170].map((value) => enteredAgain(value, source))).toEqual(Array(3).fill(rule('position')));
  expect([enteredAgain(2, mode), enteredAgain(1, mode)]).toEqual([{ value: 2, text: 'Run' }, rule('listed')]);
});

test('a batch has the rows with a value, in the order of the points; broken ones are counted', () => {
  const sources = [3, 1, 2, 4].map((dsid) => ({ dsid }));
  const entered = new Map([
    [1, { value: 5, text: '5' }],
    [2, { rule: { key: 'monitor:command.rule.whole' } }],
    [3, { value: false, text: '' }],
    [4, null],
  ] as const);
  expect(batchOf(sources, entered)).toEqual({
    writes: [
      { dsid: 3, value: false },
      { dsid: 1, value: 5 },
    ],
    broken: 1,
  });
});

test('a batch is over when each of its commands has ended, also unheard ones', () => {
  expect(tallyOf(3, [{ status: 'resp' }, { status: 'fail' }])).toEqual({
    total: 3,
    done: 1,
    failed: 1,
    unknown: 0,
    isOver: false,
  });
  const unknown = [
    { status: 'resp', outcome: 'done' },
    { status: 'fail', outcome: 'unknown' },
    { status: 'networkError', outcome: 'settled_written' },
  ];
  expect(tallyOf(3, unknown)).toEqual({ total: 3, done: 2, failed: 0, unknown: 1, isOver: true });
});

test.each([
  [99, 'unknown', 0],
  [null, 'unknown', 0],
  [0, 'weak', -113],
  [10, 'fair', -93],
  [17, 'good', -79],
  [31, 'excellent', -51],
  [32, 'unknown', 0],
])('csq %s is %s', (csq, level, dbm) => {
  expect(signalOf(csq)).toEqual({ level, dbm });
});

test('every code of a gateway or cloud has words', () => {
  const codes = [
    'not_available',
    'no_such_slave',
    'bad_argument',
    'failed',
    'refused',
    'no_restart',
    'access_password',
    'locked',
    'internal',
  ];
  expect(codes.filter((code) => codeKey(code) === null)).toEqual([]);
});

test('a lent port has words, and a gateway without a modem is remembered', () => {
  expect(codeKey('port_lent')).toBe('base:commandCode.port_lent');
  expect(reasonKey('port_lent')).toBe('base:reason.port_lent');
  expect(reasonKey('switched')).toBe('base:reason.switched');
  useModems.getState().none(7);
  expect([7, 8].map((id) => useModems.getState().without.has(id))).toEqual([true, false]);
});
