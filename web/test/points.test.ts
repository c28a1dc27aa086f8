import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ProtocolForm } from '@/api/generated/types.gen';
import { columnsOf, GROUPS } from '@/blocks/points/columns';
import { makeFaultWords } from '@/blocks/points/faultWords';
import { makeNewRow } from '@/blocks/points/newRow';
import { freeName, nameOf, newPoint, withField } from '@/blocks/points/point';
import { useEdits } from '@/features/points/model/edits';
import { changesOf, countOf, isSame, onTop, pointsOf, withoutDefaults } from '@/features/points/model/point';
import type { Fields, Point } from '@/blocks/points/point';
import { makeValidator, pointFaults } from '@/blocks/points/rules';
import { ApiError } from '@/api/errors';
import { isNeverSaved } from '@/blocks/points/kinds';
import { readingText } from '@/features/points/model/reading';
import { refusedCell } from '@/features/points/model/refused';

interface Case {
  name: string;
  protocol: string;
  options: Fields;
  points: Fields[];
  faults: [number, string, string][];
}

const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../cloud/${path}`, import.meta.url), 'utf8'));
const FORMS = Object.fromEntries(
  Object.entries(read('cloud/domains/points/protocols.json') as Record<string, object>).map(([name, form]) => [
    name,
    { name, ...form } as ProtocolForm,
  ]),
);
const t = ((key: string) => key) as never;
const sorted = (cells: readonly (readonly [number, string, string])[]): string[] =>
  cells.map((cell) => cell.join(' ')).toSorted();

// The cloud judges by the same table (cloud/tests/domains/points/test_rules.py).
test.each(read('tests/domains/points/cases.json') as Case[])('$name', ({ protocol, options, points, faults }) => {
  const judge = makeValidator({ form: FORMS[protocol], options });
  const found = judge(points.map((fields) => newPoint(fields)));
  expect(
    sorted(found.flatMap((cells, at) => cells.map(({ field, code }): [number, string, string] => [at, field, code]))),
  ).toEqual(sorted(faults));
});

const rows = (...names: string[]): Point[] =>
  pointsOf(names.map((ds_name, at) => ({ slave: 's', ds_name, regtype: '4X', addroffset: at, bit_enable: false })));

test('only what differs is sent, in its place', () => {
  const before = rows('a', 'b', 'c');
  const [a, b] = before as [Point, Point];
  const fresh = newPoint({ ds_name: 'n', addroffset: 9 });
  const after = [withField(withField(a, 'ds_name', 'first'), 'ratio', 2), fresh, withField(b, 'addroffset', undefined)];
  const changes = changesOf('s', before, after);
  expect(changes).toEqual({
    added: [{ slave: 's', ds_name: 'n', addroffset: 9, after: 'a' }],
    changed: [
      { slave: 's', ds_name: 'a', fields: { ds_name: 'first', ratio: 2 } },
      { slave: 's', ds_name: 'b', fields: { addroffset: null } },
    ],
    removed: [{ slave: 's', ds_name: 'c' }],
  });
  expect(countOf(changes)).toBe(4);
  expect(countOf(changesOf('s', before, [...before]))).toBe(0);
});

test('what is taken back is no change, but the same row made anew is one', () => {
  const before = rows('a', 'b');
  const [a, b] = before as [Point, Point];
  const { begin, change, end } = useEdits.getState();
  const isChanged = (): boolean => useEdits.getState().bySlave['1/s']?.rows !== before;
  begin('1/s', null, before);
  change('1/s', [withField(a, 'unit', 'm'), b]);
  expect(isChanged()).toBe(true);
  change('1/s', [withField(withField(a, 'unit', 'm'), 'unit', undefined), b]);
  expect(isChanged()).toBe(false);
  change('1/s', [a, newPoint(b.fields)]);
  expect(isChanged()).toBe(true);
  end('1/s');
});

test('what is typed as the default says nothing', () => {
  const point = newPoint({ ds_name: 'a', ratio: 5, selector: { 0: 'x' } });
  expect(withField(point, 'ratio', 1).fields).toEqual({ ds_name: 'a', selector: { 0: 'x' } });
  expect(withField(point, 'ratio', 5)).toBe(point);
});

test('edits go on top of what somebody else has changed', () => {
  const before = rows('a', 'b', 'c');
  const [a] = before as [Point];
  const changes = changesOf('s', before, [withField(a, 'ratio', 2), newPoint({ ds_name: 'n' }), before[1] as Point]);
  const theirs = pointsOf([{ ds_name: 'a', unit: 'kW' }, { ds_name: 'b' }, { ds_name: 'c' }, { ds_name: 'd' }]);
  const merged = onTop(changes, theirs);
  expect(merged.map(({ fields }) => fields)).toEqual([
    { ds_name: 'a', unit: 'kW', ratio: 2 },
    { ds_name: 'n' },
    { ds_name: 'b' },
    { ds_name: 'd' },
  ]);
  expect(countOf(changesOf('s', theirs, merged))).toBe(3);
});

test('new rows have free identifiers that go on counting', () => {
  expect(freeName(new Set(['level1', 'level2']), 'level1')).toBe('level3');
  expect(freeName(new Set(), '')).toBe('point1');
  const standing = rows('level9', 'x');
  const make = makeNewRow(() => standing);
  expect([make(standing[0] as Point), make(standing[0] as Point), make(null), make(null)].map(nameOf)).toEqual([
    'level10',
    'level11',
    'level12',
    'level13',
  ]);
});

test('what a cell shows, written back, is the same; in every group of every protocol', () => {
  const point = newPoint({
    ds_name: 'a',
    ds_title: '温度',
    ds_type: 'swh',
    rw: 'readwrite',
    data_type: 'uint32',
    regtype: '4X',
    area: 'D',
    addroffset: 7,
    bit_offset: 3,
    ratio: 0.1,
    record: 2,
    on_value: 1,
    off_value: 'off',
    selector: { 0: 'Stop', 1: 'Run' },
    line_color: '#112233',
    gis_show: true,
    alarm_enable: true,
    alarm_mode: 'multi',
    alarm_upper: 9.5,
    alarm_state: 1,
    item: 'Ua',
    item_signed: true,
  });
  for (const form of Object.values(FORMS)) {
    for (const group of GROUPS) {
      for (const column of columnsOf(group, t, { form, options: {}, language: 'zh' })) {
        const written = column.write?.(point, column.read(point));
        expect(written, `${form.name} ${column.key}`).toMatchObject({ row: { fields: point.fields } });
      }
    }
  }
  const ratio = columnsOf('calculate', t, { form: undefined, options: {}, language: 'en' }).find(
    ({ key }) => key === 'ratio',
  );
  expect(ratio?.write?.(point, 'x')).toEqual({ fault: 'base:point.fault.number' });
});

test('a row is judged again only when it changes, and its words stay the same', () => {
  const judge = makeValidator({ form: FORMS.modbus_rtu, options: {} });
  const words = makeFaultWords(t);
  const points = [newPoint({ ds_name: 'a' }), newPoint({ ds_name: 'b', regtype: '4X', addroffset: 1 })];
  const first = words(points, judge(points));
  const [a, b] = points as [Point, Point];
  const next = [a, withField(b, 'ratio', 0)];
  const second = words(next, judge(next));
  expect(second.get(a.key)).toBe(first.get(a.key));
  expect(second.get(b.key)?.get('ratio')).toEqual({ level: 'error', text: 'base:point.fault.zero' });
});

test('5,000 points are judged in a step that nobody feels', () => {
  const judge = makeValidator({ form: FORMS.modbus_rtu, options: {} });
  const points = Array.from({ length: 5000 }, (_, at) =>
    newPoint({ ds_name: `p${at}`, regtype: '4X', addroffset: at * 2, data_type: 'uint32' }),
  );
  expect(judge(points).flat()).toEqual([]);
  const moved = points.map((point, at) => (at === 100 ? withField(point, 'addroffset', 203) : point));
  expect(
    judge(moved)
      .flat()
      .map(({ code }) => code),
  ).toEqual(['overlap', 'overlap']);
});

test('a form says no default that the document did not say', () => {
  const defaults = { retries: 1, enable: true };
  expect(withoutDefaults({ name: 'a', retries: 1, enable: true, title: '' }, defaults, {})).toEqual({ name: 'a' });
  expect(withoutDefaults({ name: 'a', retries: 1, enable: false }, defaults, { retries: 2 })).toEqual({
    name: 'a',
    retries: 1,
    enable: false,
  });
});

test('rows that another version has unchanged are the same', () => {
  expect(isSame(rows('a', 'b'), rows('a', 'b'))).toBe(true);
  expect(isSame(rows('a', 'b'), rows('b', 'a'))).toBe(false);
  expect(isSame(rows('a'), rows('a', 'b'))).toBe(false);
});

test('a pasted text that is no choice or number stays in its cell and is marked, in every column that keeps one', () => {
  const about = { form: FORMS.modbus_rtu, options: {}, language: 'en' };
  const point = newPoint({ ds_name: 'a', regtype: '4X', addroffset: 1 });
  const columns = GROUPS.flatMap((group) => columnsOf(group, t, about)).filter(({ keep }) => keep !== undefined);
  const choice = columns.find(({ key }) => key === 'data_type');
  expect(choice?.keep?.(point, 'flaot ').fields.data_type).toBe('flaot');
  expect(columns.length).toBeGreaterThan(20);
  for (const { key, keep, read } of columns) {
    const kept = keep?.(point, 'flaot') ?? point;
    expect([key, read(kept)]).toEqual([key, 'flaot']);
    const cells = pointFaults(kept.fields, about).filter((cell) => cell.field === key && isNeverSaved(cell));
    expect([key, cells.length > 0]).toEqual([key, true]);
  }
});

test('a refusal of the cloud is put on its cell', () => {
  const original = rows('a', 'b');
  const [a, b] = original as [Point, Point];
  const fresh = newPoint({ ds_name: 'n' });
  const edited = { base: null, original, rows: [a, fresh, withField(b, 'ratio', -1)], round: 0 };
  const sent = { edit: edited, changes: changesOf('s', original, edited.rows) };
  const refuse = (field: string) => refusedCell(new ApiError({ code: 10002, field, rule: 'too small' }), sent);
  expect(refuse('body.added.0.capture_freq.constrained-int')).toEqual({
    point: fresh,
    field: 'capture_freq',
    rule: 'too small',
  });
  expect(refuse('changed.0.fields.ratio')?.point).toBe(edited.rows[2]);
  expect([refuse('body.base'), refuse('body.added.7.ratio'), refusedCell(new Error('no'), sent)]).toEqual([
    null,
    null,
    null,
  ]);
});

test('a pair of words is picked at once, and the language has its own', () => {
  const words: Record<string, string> = {
    'base:point.pair.alarmNormal.on': 'Alarm',
    'base:point.pair.alarmNormal.off': 'Normal',
  };
  const translate = ((key: string) => words[key] ?? key) as never;
  const columns = columnsOf('calculate', translate, { form: FORMS.modbus_rtu, options: {}, language: 'en' });
  const column = columns.find(({ key }) => key === 'position_words');
  const point = newPoint({ ds_name: 'a', ds_type: 'swh' });
  const usual = column?.options?.[0];
  const written = column?.write?.(point, 'Alarm / Normal');
  if (column === undefined || written === undefined || !('row' in written)) throw new Error('not written');
  expect(written.row.fields).toMatchObject({ on_text: 'Alarm', off_text: 'Normal' });
  expect([usual?.value, column.read(point), column.read(written.row)]).toEqual(['', '', 'Alarm / Normal']);
  const back = column.write?.(written.row, '');
  expect(back !== undefined && 'row' in back && [back.row.fields.on_text, back.row.fields.off_text]).toEqual([
    undefined,
    undefined,
  ]);
  expect([column.readOnly?.(point), column.readOnly?.(newPoint({ ds_name: 'b' }))]).toEqual([false, true]);
});

test('a reading stands as in the live view', () => {
  const words = { on: 'ON', off: 'OFF' };
  expect(readingText(70.9991683999961, {}, words)).toBe('70.9992');
  expect(readingText(70.9991683999961, { tofixed: 1 }, words)).toBe('71.0');
  expect(readingText(false, { ds_type: 'swh', on_value: 0, off_value: 1, off_text: 'Shut' }, words)).toBe('Shut');
  expect(readingText(2, { selector: { 2: 'Run' } }, words)).toBe('Run');
  expect(readingText('A7', { ds_type: 'str' }, words)).toBe('A7');
  expect([readingText(null, {}, words), readingText(undefined, {}, words)]).toEqual(['–', '–']);
});

test('saving keeps the rows of the sheet, and what is undone afterwards is a change of what the cloud has now', () => {
  const { begin, change, settle } = useEdits.getState();
  begin('5/s', 'v1', rows('a', 'b', 'c'));
  const edit = () => useEdits.getState().bySlave['5/s'] as ReturnType<typeof useEdits.getState>['bySlave'][string];
  const { round } = edit();
  const [a, b, c] = edit().rows as [Point, Point, Point];
  const added = newPoint({ ds_name: 'd', regtype: '4X' });
  change('5/s', [a, withField(b, 'ds_name', 'renamed'), added]);
  settle('5/s', 'v2', rows('a', 'renamed', 'd'));
  expect(edit()).toMatchObject({ base: 'v2', round });
  expect(edit().rows).toBe(edit().original);
  expect(edit().rows.map(({ key, was }) => [key, was])).toEqual([
    [a.key, 'a'],
    [b.key, 'renamed'],
    [added.key, 'd'],
  ]);
  change('5/s', [a, b, c]); // three steps undone
  expect(changesOf('s', edit().original, edit().rows)).toMatchObject({
    added: [{ ds_name: 'c', after: 'renamed' }],
    changed: [{ ds_name: 'renamed', fields: { ds_name: 'b' } }],
    removed: [{ ds_name: 'd' }],
  });
});
