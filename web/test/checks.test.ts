import { expect, test } from 'vitest';
// @ts-expect-error a script without types
import { banned, differences, misfits, used } from '../scripts/i18n-check.mjs';
// @ts-expect-error a script without types
import { imports, violation } from '../scripts/import-zones.mjs';

test.each([
  ['features/a/x.ts', '@/features/b/y', true],
  ['features/a/x.ts', '../b/y', true],
  ['features/a/screens/x.tsx', '../components/y', false],
  ['features/a/x.ts', '@/app/router', true],
  ['features/a/x.ts', '@/components/Empty', false],
  ['components/x.ts', '@/features/a/y', true],
  ['components/x.ts', '@/blocks/map/MapView', true],
  ['components/x.ts', '@/blocks/points/kinds', true],
  ['blocks/points/x.ts', '@/blocks/map/MapView', false],
  ['components/x.ts', '@/api/errors', false],
  ['components/x.ts', '@/api/generated/types.gen', true],
  ['blocks/map/x.ts', '@/api/generated/sdk.gen', false],
  ['blocks/map/x.ts', '@/features/a/y', true],
  ['features/a/x.ts', '@/blocks/map/MapView', false],
  ['lib/x.ts', '@/api/http', true],
  ['features/a/x.ts', 'uplot', true],
  ['charts/plot.ts', 'uplot', false],
  ['features/a/x.ts', 'uplot/dist/uPlot.min.css', true],
  ['features/a/x.ts', 'react', false],
])('%s imports %s', (from, target, forbidden) => {
  expect(violation(from, target) !== null).toBe(forbidden);
});

test('imports of every kind are seen', () => {
  const text = `import a from 'one';\nimport { b,\n c } from 'two';\nimport 'three';\nexport * from 'four';\nconst d = () => import('five');`;
  expect(imports(text)).toEqual(['one', 'two', 'three', 'four', 'five']);
});

test('texts: English may have a form for one, with the same parameters', () => {
  const zh = { rows: '{{count}} 行' };
  expect(differences('s', zh, { rows_one: '{{count}} row', rows: '{{count}} rows' })).toEqual([]);
  expect(differences('s', zh, { rows_one: '{{n}} row', rows: '{{count}} rows' })).toEqual([
    's:rows_one has other parameters in en',
  ]);
});

test('texts: banned words of either language, and reasons left in English', () => {
  const words = { en: ['\\blent\\b'], zh: ['告警'], zhLatin: ['Modbus', 'TCP'] };
  expect(banned('s', 'en', { a: 'port lent', b: 'talent' }, words)).toEqual([
    's:a has the banned word \\blent\\b in en',
  ]);
  const zh = {
    a: '处理告警',
    b: 'no answer',
    c: 'Modbus TCP',
    d: '失败：port down',
    e: '{{count}} ms',
    f: '使用 Modbus TCP 协议',
  };
  expect(banned('s', 'zh', zh, words)).toEqual([
    's:a has the banned word 告警 in zh',
    's:b is English in zh',
    's:d is English in zh',
  ]);
});

test('texts: missing keys, other parameters, Chinese in English', () => {
  const found = differences('s', { a: '甲', b: '{{n}} 个', c: '丙' }, { a: 'A', b: '{{m}} of them', d: '丁' });
  expect(found).toEqual([
    's:b has other parameters in en',
    's:c is missing in en',
    's:d is missing in zh',
    's:d is not English in en',
  ]);
});

test.each([
  ["t('s:of', { name, at: 1 })", []],
  ["t('s:of', { name })", ['s:of is used without at']],
  ["t('s:of')", ['s:of is used without at', 's:of is used without name']],
  ["t('s:plain', { name: f({ at }) })", ['s:plain has no name, which is given']],
  ["i18next.t('s:plain', { name })", ['s:plain has no name, which is given']],
  ["t('s:plain', { lng: 'en', defaultValue: '' })", []],
  ["t('s:rows', { count })", []],
  ["t('s:plain', { count })", ['s:plain has no count, which is given']],
  ["t('s:form', { context: a, name })", []],
  ["t('s:form', { context: a })", ['s:form_long is used without name']],
  ["t(a ? 's:of' : 's:plain', { name, at })", []],
  ["t(a ? 's:of' : 's:plain', { name })", ['s:of is used without at']],
  ["t(a ? 's:plain' : 's:rows', { name })", ['s:plain has no name, which is given']],
  ["t('s:of', given)", []],
  ["t('s:of', { ...given })", []],
  ['t(`s:of.${a}`, { at })', []],
  ["say('s:of', { at })", []],
  ['<Trans i18nKey="s:of" values={{ name, at: 1 }} components={{ code }} />', []],
  ['<Trans i18nKey="s:of" values={{ name }} />', ['s:of is used without at']],
  ['<Trans i18nKey="s:of"><b /></Trans>', ['s:of is used without at', 's:of is used without name']],
  ['<Trans i18nKey="s:plain" values={{ name }} />', ['s:plain has no name, which is given']],
  ["<Trans i18nKey={a ? 's:of' : 's:plain'} values={{ name }} />", ['s:of is used without at']],
  ['<Trans i18nKey="s:rows" count={count} />', []],
  ['<Trans i18nKey="s:plain" count={count} />', ['s:plain has no count, which is given']],
  ['<Trans i18nKey="s:form" context={a} values={{ name }} />', []],
  ['<Trans i18nKey="s:of" values={given} />', []],
  ['<Trans {...given} i18nKey="s:of" />', []],
  ['<Other i18nKey="s:of" />', []],
])('parameters of a call: %s', (call, expected) => {
  const known = new Map([
    ['s:of', '{{name}} {{at}}'],
    ['s:plain', 'plain'],
    ['s:rows', 'some rows'],
    ['s:form', 'short'],
    ['s:form_long', 'long {{name}}'],
  ]);
  expect(misfits(`const a = ${call};`, known, new Set(['s:rows']))).toEqual(expected);
});

test('used keys: whole ones, and the beginning of templates', () => {
  const { whole, starts } = used("t('s:a.b'); t(`s:c.${x}`); t('other:a'); f('https://x')", new Set(['s']));
  expect([[...whole], [...starts]]).toEqual([['s:a.b'], ['s:c.']]);
});
