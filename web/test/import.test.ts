import { describe, expect, it } from 'vitest';
import {
  templateCountsOf,
  fieldTitle,
  fileFault,
  guessedOf,
  missingKeys,
  nothingKey,
  projectChoices,
  rowName,
  valueText,
  withField,
  withKind,
} from '@/blocks/import/mapping';
import { doingKey } from '@/blocks/jobs/JobState';

describe('a workbook before it is sent', () => {
  it('is known by its ending and its size', () => {
    expect(fileFault({ name: 'a.XLSX', size: 1 })).toBeNull();
    expect(fileFault({ name: 'a.xls', size: 20 * 1024 * 1024 })).toBeNull();
    expect(fileFault({ name: 'a.csv', size: 1 })).toBe('form');
    expect(fileFault({ name: 'a.xlsx', size: 0 })).toBe('size');
    expect(fileFault({ name: 'a.xlsx', size: 20 * 1024 * 1024 + 1 })).toBe('size');
  });
});

describe('projects of which gateways may go', () => {
  it('are told apart by the way to them where their titles are the same', () => {
    const nodes = [
      { id: 1, parent_id: null, title: 'North' },
      { id: 2, parent_id: 1, title: 'Depot' },
      { id: 3, parent_id: 2, title: 'Hall' },
      { id: 4, parent_id: null, title: 'Hall' },
    ];
    expect(projectChoices(nodes, 'HALL', 20)).toEqual([
      { value: '3', label: 'Hall', note: 'North / Depot' },
      { value: '4', label: 'Hall', note: '' },
    ]);
    expect(projectChoices(nodes, '', 2).map(({ value }) => value)).toEqual(['1', '2']);
  });
});

describe('what columns stand for', () => {
  const points = { kind: 'points' as const, fields: ['gateway_id', null, 'slave'] };

  it('begins with the guess and does not share it', () => {
    const sheet = { name: 'a', header: ['x'], rows: 1, kind: 'points' as const, fields: ['slave'], sample: [] };
    const [mapping] = guessedOf([sheet]);
    mapping?.fields.push('unit');
    expect(sheet.fields).toEqual(['slave']);
  });

  it('gives a field to one column only', () => {
    expect(withField(points, 1, 'slave').fields).toEqual(['gateway_id', 'slave', null]);
    expect(withField(points, 0, null).fields).toEqual([null, null, 'slave']);
  });

  it('gives a kind to one sheet only, and forgets the fields of another kind', () => {
    const other = { kind: null, fields: ['name'] };
    expect(withKind([points, other], 1, 'points')).toEqual([
      { ...points, kind: null },
      { kind: 'points', fields: [null] },
    ]);
    expect(withKind([points], 0, 'points')).toEqual([points]);
  });

  it('names the keys that no column has', () => {
    expect(missingKeys(points, ['gateway_id', 'slave', 'ds_name'])).toEqual(['ds_name']);
    expect(missingKeys({ ...points, kind: null }, ['ds_name'])).toEqual([]);
  });
});

describe('what templates bring', () => {
  const none = { added: 0, changed: 0, removed: 0, wrong: 0 };

  it('is told sheet by sheet, without what they leave alone', () => {
    const by_template = { points: { ...none, added: 50, removed: 2 }, ports: { ...none, added: 1 }, slaves: none };
    expect(templateCountsOf({ by_template })).toEqual([
      { sheet: 'ports', counts: [{ kind: 'added', count: 1 }] },
      {
        sheet: 'points',
        counts: [
          { kind: 'added', count: 50 },
          { kind: 'removed', count: 2 },
        ],
      },
    ]);
    expect(templateCountsOf({})).toEqual([]);
  });
});

describe('what is said', () => {
  const none = { added: 0, changed: 0, removed: 0, wrong: 0 };

  it('of a preview without rows', () => {
    expect(nothingKey({ counts: { devices: none, points: none }, unchanged: 319 })).toBe('base:import.same');
    expect(nothingKey({ counts: { devices: none }, unchanged: 0 })).toBe('base:import.noRows');
    expect(nothingKey({ counts: { devices: { ...none, wrong: 1 } }, unchanged: 319 })).toBe('base:import.nothing');
  });

  it('while a job runs: an import makes no file', () => {
    expect(doingKey({ kind: 'device_export', done: 1, total: 2 })).toBe('base:code.file.generating');
    expect(doingKey({ kind: 'import_preview', done: 2, total: 2 })).toBe('base:job.doing.comparing');
    expect(doingKey({ kind: 'import_apply', done: 1, total: 193 })).toBe('base:job.doing.importing');
    expect(doingKey({ kind: 'import_apply', done: 193, total: 193 })).toBe('base:job.doing.storing');
  });
});

describe('rows of a preview', () => {
  it('are named by gateway and key', () => {
    expect(rowName({ gateway_id: 'gw', key: ['plc', 't'] })).toBe('gw / plc / t');
    expect(rowName({ gateway_id: 'gw', key: [] })).toBe('gw');
  });

  it('show values of any kind', () => {
    expect([null, '', 0, false, 'a', { a: 1 }].map((value) => valueText(value))).toEqual([
      '—',
      '—',
      '0',
      'false',
      'a',
      '{"a":1}',
    ]);
    expect(valueText(1_801_353_600_000, 'expire_ms')).toMatch(/^2027-0[12]-\d\d /);
    expect(fieldTitle({ field: 'expire_ms', zh: '到期时间(UTC)', en: 'Expires (UTC)' }, 'en')).toBe('Expires');
  });
});
