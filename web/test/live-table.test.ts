import { expect, test } from 'vitest';
import { trendAddress } from '@/blocks/history/trend';
import { filtered } from '@/features/monitor/liveFilter';
import { codeText, failureText, faultKey, responseText } from '@/features/monitor/requests';
import { merged, SPARK_MS, SparkBoard } from '@/features/monitor/sparks';
import type { Spark, SparkSamples } from '@/features/monitor/sparks';
import type { LastValue } from '@/lib/quality';

const point = (ds_name: string, ds_title: string, slave = 'boiler', slave_title = '1# 锅炉') => ({
  ds_name,
  ds_title,
  slave,
  slave_title,
});

test('every word of the filter is found in a name or title, of the point or its slave', () => {
  const all = [
    point('p1', 'Steam pressure'),
    point('t1', 'Steam temperature'),
    point('p2', 'Pressure', 'pump', 'Feed pump'),
  ];
  const names = (text: string): string[] => filtered(all, text).map(({ ds_name }) => ds_name);
  expect(names(' ')).toEqual(['p1', 't1', 'p2']);
  expect(names('PRESS')).toEqual(['p1', 'p2']);
  expect(names('steam press')).toEqual(['p1']);
  expect(names('锅炉 t1')).toEqual(['t1']);
  expect(names('pump')).toEqual(['p2']);
  expect(names('nothing')).toEqual([]);
});

test('a value leads to its last hour, to a table where it is no number', () => {
  expect(trendAddress({ dsid: 7, ds_type: 'num' }, 3, 'device')).toEqual({
    path: '/deviceDetail/index',
    search: { device_id: 3, tab: 'history', points: 7, range: 'pastHour', view: undefined },
  });
  expect(trendAddress({ dsid: 7, ds_type: 'str' }, 3)).toEqual({
    path: '/dataCenter/hisData',
    search: { device_id: 3, dsids: 7, range: 'pastHour', view: 'table' },
  });
});

test('requests of a slave in words', () => {
  expect(failureText({ requests: 0, failures: 0 })).toBeNull();
  expect(failureText({ requests: 60, failures: 0 })).toBe('0 %');
  expect(failureText({ requests: 100_000, failures: 1 })).toBe('0.1 %');
  expect(failureText({ requests: 100_000, failures: 99_999 })).toBe('99.9 %');
  expect(failureText({ requests: 3, failures: 9 })).toBe('100 %');
  expect([codeText(2), codeText(0xc051), codeText(null)]).toEqual(['0x02', '0xC051', '']);
  expect([responseText(3.84), responseText(81.4)]).toEqual(['3.8 ms', '81 ms']);
  expect([faultKey('checksum'), faultKey('of_a_newer_agent')]).toEqual(['monitor:fault.checksum', null]);
});

test('what was told and what was pushed make one line, kept to its window', () => {
  const base = { t: [0, 10, 20], y: [1, 2, 3] };
  expect(merged(base, { t: [15, 20, 30], y: [9, 9, 4] }, 0)).toEqual({ t: [0, 10, 20, 30], y: [1, 2, 3, 4] });
  expect(merged(base, { t: [], y: [] }, 15)).toEqual({ t: [10, 20], y: [2, 3] });
});

/** A page of sparklines with a clock and a bus of its own. */
function page() {
  const listeners = new Map<number, (now: LastValue) => void>();
  const asked: number[][] = [];
  const drawn: { dsid: number; samples: SparkSamples }[] = [];
  const timers: (() => void)[] = [];
  let now = 1_000_000;
  const board = new SparkBoard({
    now: () => now,
    watch: (dsid, listener) => {
      listeners.set(dsid, listener);
      return () => listeners.delete(dsid);
    },
    ask: (dsids) => {
      asked.push([...dsids]);
      return Promise.resolve(new Map(dsids.map((dsid) => [dsid, { t: [now - 5000], y: [dsid] }])));
    },
    onTick: () => () => undefined,
    after: (_ms, work) => {
      timers.push(work);
      return () => undefined;
    },
    draw: ({ dsid }, samples) => drawn.push({ dsid, samples }),
  });
  const spark = (dsid: number): Spark => ({
    dsid,
    element: {} as HTMLCanvasElement,
    plotted: ({ value }) => Number(value),
  });
  const gather = async (): Promise<void> => {
    for (const work of timers.splice(0)) work();
    await Promise.resolve();
    await Promise.resolve();
  };
  return { board, listeners, asked, drawn, spark, gather, pass: (ms: number) => (now += ms), now: () => now };
}

test('rows in view are asked for together, sixty-four at most, and only they follow what is pushed', async () => {
  const { board, listeners, asked, spark, gather } = page();
  const sparks = Array.from({ length: 70 }, (_, index) => spark(index + 1));
  for (const one of sparks) board.add(one);
  expect(listeners.size).toBe(0);
  for (const one of sparks) board.seen(one.element, true);
  await gather();
  await gather();
  expect(asked.map(({ length }) => length)).toEqual([64, 6]);
  for (const one of sparks.slice(1)) board.seen(one.element, false);
  expect([...listeners.keys()]).toEqual([1]);
});

test('a row that comes back soon goes on, later it is asked for anew', async () => {
  const { board, listeners, asked, drawn, spark, gather, pass, now } = page();
  const one = spark(4);
  board.add(one);
  board.seen(one.element, true);
  await gather();
  expect(drawn.at(-1)).toEqual({ dsid: 4, samples: { t: [now() - 5000], y: [4] } });
  listeners.get(4)?.({ t_ms: now(), value: 8, quality: 0 });
  board.seen(one.element, false);
  pass(1000);
  board.seen(one.element, true);
  await gather();
  expect(asked).toHaveLength(1);
  expect(drawn.at(-1)?.samples.y).toEqual([4, 8]);
  board.seen(one.element, false);
  pass(SPARK_MS);
  board.seen(one.element, true);
  await gather();
  expect(asked).toHaveLength(2);
});
