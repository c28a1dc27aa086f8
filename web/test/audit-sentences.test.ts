import i18next from 'i18next';
import type { TFunction } from 'i18next';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AuditRow } from '@/features/platform/api';
import { AUDIT_KINDS, OPERATIONS, UNATTENDED } from '@/features/platform/operations';
import en from '@/features/platform/locales/en.json';
import zh from '@/features/platform/locales/zh.json';
import baseEn from '@/i18n/locales/en.json';
import baseZh from '@/i18n/locales/zh.json';
import { changesOf, placeOf, refusalOf, sentenceOf } from '@/features/platform/sentence';

const TEXTS = { zh, en };
/** Told by services under names that no body has. */
const BESIDE = [
  'value',
  'status',
  'place',
  'parent_id',
  'category',
  'kind',
  'version',
  'hash',
  'state',
  'cancelling',
  'owner_id',
  'device_ids',
  'ids',
  'back',
  'auto',
  'gateway_id',
  'ot',
  'rl',
  'ss',
  'rg',
  'device_id',
  'first',
  'last',
  'added',
  'changed',
  'billed',
];
let words: Record<'zh' | 'en', TFunction>;

beforeAll(async () => {
  const made = i18next;
  await made.init({
    lng: 'zh',
    fallbackLng: false,
    resources: { zh: { platform: zh, base: baseZh }, en: { platform: en, base: baseEn } },
    interpolation: { escapeValue: false },
  });
  words = { zh: made.getFixedT('zh'), en: made.getFixedT('en') };
});

function row(fields: Partial<AuditRow>): AuditRow {
  return {
    id: 1,
    at_ms: 0,
    user_id: 1,
    user_name: 'li',
    address: '',
    method: 'PUT',
    path: '/x',
    operation: 'changeDevice',
    ids: {},
    query: {},
    changes: {},
    status: 200,
    code: 0,
    duration_ms: 1,
    request_id: '',
    thing: '',
    things: {},
    result: 'succeeded',
    ...fields,
  };
}

describe.each(['zh', 'en'] as const)('in %s', (language) => {
  test.each([...OPERATIONS, ...UNATTENDED])('%s has a sentence', (operation) => {
    const told = sentenceOf(row({ operation, thing: 'Pump 1' }), words[language]);
    expect(TEXTS[language].sentence).toHaveProperty(operation);
    expect(told).toMatch(/^li /);
    expect(told).not.toContain('{{');
    expect(sentenceOf(row({ operation }), words[language])).not.toMatch(/“”|""/);
  });

  test('no sentence is left without its operation, nor a kind without words', () => {
    expect(Object.keys(TEXTS[language].sentence).sort()).toEqual([...OPERATIONS, ...UNATTENDED].sort());
    expect(Object.keys(TEXTS[language].auditKind)).toEqual([...AUDIT_KINDS]);
  });

  test('fields of what the cloud tells of have labels', () => {
    const { components } = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
    const schemas = [
      'DeviceFields',
      'UserChange',
      'ProfileChange',
      'ProjectBody',
      'ProductBody',
      'GroupBody',
      'RuleBody',
      'Looks',
      'RetentionDays',
      'ChangeTemplate',
      'PointFields',
      'CloudConfig',
      'SimCardBody',
    ];
    const names = schemas
      .flatMap((schema) => Object.keys(components.schemas[schema].properties))
      .filter((name) => name !== 'limits' && name !== 'device');
    const told = [
      ...names,
      ...Object.keys(components.schemas.UserLimits.properties).map((name) => `limits.${name}`),
      ...BESIDE,
    ];
    const labels = told
      .filter((name) => name !== 'slave')
      .map((name) => [
        name,
        [`platform:field.${name}`, `base:point.field.${name}`].some((key) => i18next.exists(key, { lng: language })),
      ]);
    expect(labels.filter(([, has]) => has !== true)).toEqual([]);
  });
});

test('a limit of a point', () => {
  const changes = { before: { 'boiler / Pressure: max': 5 }, after: { 'boiler / Pressure: max': 7 } };
  const told = row({ operation: 'savePoints', thing: 'Pump 1', changes });
  expect(sentenceOf(told, words.en)).toBe(
    'li changed data points of "Pump 1": boiler / Pressure: upper limit from 5 to 7',
  );
  expect(sentenceOf(told, words.zh)).toBe('li 修改了“Pump 1”的数据点：boiler / Pressure: 上限由 5 改为 7');
});

test('numbers of things are told by the names that they had, switches by words', () => {
  const changes = {
    before: { project_id: 3, gis_show: false, remark: '', model: 'A' },
    after: { project_id: 4, gis_show: true, remark: 'x', model: 'B' },
  };
  const told = row({ thing: 'Pump 1', changes, things: { project: { 3: 'Mill', 4: 'Quarry' } } });
  expect(sentenceOf(told, words.en)).toBe(
    'li changed device "Pump 1": project from Mill to Quarry, show in GIS from off to on, and 2 more',
  );
  expect(changesOf(told, words.en)[2]).toEqual({ field: 'remark', before: 'empty', after: 'x' });
});

test('a command with its value, and somebody who is nobody', () => {
  const after = { gateway_id: 'g', action: 'W', value: 5.5, unit: 'MPa' };
  expect(
    sentenceOf(row({ operation: 'sendCommand', thing: 'Pump / Pressure', changes: { before: {}, after } }), words.en),
  ).toBe('li sent a command to "Pump / Pressure": value 5.5 MPa');
  expect(sentenceOf(row({ operation: 'deleteUser', user_name: '', ids: { user_id: '7' } }), words.en)).toBe(
    'A visitor without a session deleted user "no. 7"',
  );
});

test('a share with its user, as it was sent or by the number in the path', () => {
  const ids = { device_id: '3', user_id: '7' };
  const shared = row({
    operation: 'putShare',
    thing: 'Pump 1',
    ids: { device_id: '3' },
    changes: { user_name: 'wang', role: 'visitor' },
  });
  expect(sentenceOf(shared, words.en)).toBe('li shared device "Pump 1" with user "wang"');
  expect(sentenceOf(shared, words.zh)).toBe('li 将设备“Pump 1”共享给了用户“wang”');
  const ended = row({ operation: 'deleteShare', thing: 'Pump 1', ids, things: { user: { 7: 'wang' } } });
  expect(sentenceOf(ended, words.en)).toBe('li ended the share of device "Pump 1" with user "wang"');
  expect(sentenceOf(ended, words.zh)).toBe('li 取消了设备“Pump 1”对用户“wang”的共享');
  expect(sentenceOf({ ...ended, things: {} }, words.en)).toBe(
    'li ended the share of device "Pump 1" with user "no. 7"',
  );
});

test('a bound gateway by title and number, and the way to it', () => {
  const told = row({ operation: 'bindDevice', thing: 'Pump 1 / PL-10', ids: { device_id: '3', gateway_id: 'PL-10' } });
  expect(sentenceOf(told, words.en)).toBe('li bound device "Pump 1 / PL-10" by QR code');
  expect(placeOf(told)?.search).toEqual({ device_id: '3' });
});

test('what was refused or failed is told as an attempt', () => {
  const refused = row({ operation: 'createDevice', thing: 'x', status: 403, code: 10001, result: 'failed' });
  expect(sentenceOf(refused, words.en)).toBe('li attempted "Add a device" (x): refused');
  expect(sentenceOf(refused, words.zh)).toBe('li 尝试“添加设备”（x）：被拒绝');
  expect(sentenceOf({ ...refused, thing: '', status: 500 }, words.en)).toBe('li attempted "Add a device": failed');
  expect(sentenceOf({ ...refused, thing: '', status: 500 }, words.zh)).toBe('li 尝试“添加设备”：失败');
  const after = { gateway_id: 'g', action: 'W', value: 5.5, unit: 'MPa', outcome: 'failed' };
  const command = row({
    operation: 'sendCommand',
    thing: 'Pump / Pressure',
    changes: { before: {}, after },
    result: 'failed',
  });
  expect(sentenceOf(command, words.en)).toBe('li attempted "Send a command" (Pump / Pressure, value 5.5 MPa): failed');
  for (const operation of [...OPERATIONS, ...UNATTENDED])
    for (const language of ['zh', 'en'] as const)
      expect(sentenceOf(row({ operation, thing: 'Pump 1', status: 403, result: 'failed' }), words[language])).toContain(
        TEXTS[language].operation[operation],
      );
});

test('refused with its reason; what failed is not', () => {
  expect(refusalOf({ status: 403, code: 10001 }, words.en)).toBe('Refused: no permission');
  expect(refusalOf({ status: 404, code: 20000 }, words.en)).toBe('Refused: no such thing');
  expect(refusalOf({ status: 422, code: 99999 }, words.en)).toBe('Refused');
  expect([refusalOf({ status: 500, code: 500 }, words.en), refusalOf({ status: 200, code: 0 }, words.en)]).toEqual([
    null,
    null,
  ]);
});

test('a row leads to its thing, unless it is the one that took it away', () => {
  expect(placeOf(row({ ids: { device_id: '3' } }))).toEqual({
    path: '/deviceDetail/index',
    search: { device_id: '3' },
  });
  expect(placeOf(row({ operation: 'deleteDevice', ids: { device_id: '3' } }))).toBeNull();
  expect(placeOf(row({ ids: { user_id: '4' }, things: { user: { 4: 'li' } } }))).toEqual({
    path: '/user/authuser',
    search: { search: 'li', edit: '4' },
  });
  expect(placeOf(row({}))).toBeNull();
});
