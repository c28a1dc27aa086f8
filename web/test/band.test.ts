import { expect, test } from 'vitest';
import type { CollectionGap, SlaveCollection } from '@/features/completeness/api';
import { bandRows, MISSED, reasonsOf } from '@/features/completeness/band';
import { transportTone } from '@/features/completeness/strip';
import en from '@/features/completeness/locales/en.json';
import zh from '@/features/completeness/locales/zh.json';

const span = { start_ms: 1000, end_ms: 2000 };

function gap(
  from_ms: number,
  to_ms: number,
  slave: string | null,
  reason: CollectionGap['reason'] = 'no_answer',
): CollectionGap {
  return { id: from_ms, slave, points: [], from_ms, to_ms, reason, lent_to: null, missed: 1 };
}

function slave(name: string, percent: number | null): SlaveCollection {
  const collection = {
    expected: 10,
    good: 5,
    missed: 5,
    percent,
    reasons: {},
    not_reported_ms: 0,
    since_ms: null,
    no_figure: null,
  };
  return { slave: name, title: null, collection };
}

const known = slave('', 50).collection;

test('the gateway stands first, then the worst slaves; one without a figure last', () => {
  const rows = bandRows(
    known,
    [slave('m10', 100), slave('m9', 100), slave('bad', 3), slave('off', null)],
    [],
    span,
    3000,
  );
  expect(rows.map((row) => row.slave)).toEqual([null, 'bad', 'm9', 'm10', 'off']);
});

test('a gap stands in its row, cut to the period and wide enough to be seen', () => {
  const gaps = [gap(500, 1500, 'a'), gap(1999, 2000, 'a'), gap(0, 1000, 'a'), gap(1250, 1300, null, 'frozen')];
  const [gateway, a] = bandRows(known, [slave('a', 50)], gaps, span, 3000);
  expect(gateway?.segments.map(({ left, width }) => [left, width])).toEqual([[25, 5]]);
  expect(a?.segments.map(({ left, width }) => [left, width])).toEqual([
    [25, 5],
    [0, 50],
    [99.7, 0.3],
  ]);
});

test('nothing is claimed of the time before the first report, nor of what is to come', () => {
  const unknown = (since_ms: number | null, now: number, no_figure: 'not_yet' | null = null) =>
    bandRows({ ...known, since_ms, no_figure }, [slave('a', 100)], [], span, now).map((row) => row.unknown);
  const hidden = [
    { why: 'before', left: 0, width: 60 },
    { why: 'future', left: 90, width: 10 },
  ];
  expect(unknown(1600, 1900)).toEqual([hidden, hidden]);
  expect(unknown(null, 1900, 'not_yet')[0]).toEqual([{ why: 'before', left: 0, width: 100 }]);
  expect(unknown(null, 2500)[0]).toEqual([]);
  expect(unknown(null, 1900)[0]).toEqual([{ why: 'future', left: 90, width: 10 }]);
});

test('the legend has what occurs, in its own order', () => {
  expect(reasonsOf([gap(1, 2, 'a', 'frozen'), gap(1, 2, 'b'), gap(3, 4, 'b')])).toEqual(['no_answer', 'frozen']);
});

test('every reason has a name and an explanation in both languages', () => {
  for (const words of [zh, en]) {
    expect(Object.keys(words.missed).toSorted()).toEqual([...MISSED].toSorted());
    expect(Object.keys(words.missedWhy).toSorted()).toEqual([...MISSED].toSorted());
  }
});

test('no share is neither good nor bad', () => {
  expect([null, 100, 99.999].map((percent) => transportTone({ percent }))).toEqual(['off', 'ok', 'bad']);
});
