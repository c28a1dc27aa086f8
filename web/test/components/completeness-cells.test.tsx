import { fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import CompletenessTab from '@/features/completeness/screens/CompletenessTab';
import { cellsOf } from './cells';
import {
  AT,
  away,
  bucket,
  collected,
  DAY,
  figure,
  HOUR,
  marks,
  MAY,
  NO_BATCH,
  serve,
  served,
  START,
  strip,
  tab,
  UNKNOWN,
} from './completeness-fixtures';
import { show } from './render';

beforeEach(() => serve({}));

test.each([
  ['hour', 'By hour', 4 * HOUR],
  ['day', 'By day', 20 * DAY],
])('a period is asked for and drawn by the %s as its length demands', async (width, title, length) => {
  await tab(`/?device_id=7&start=${START}&end=${START + length}`);
  expect(Object.fromEntries(served.details[0]?.query ?? [])).toMatchObject({
    from_ms: String(START),
    to_ms: String(START + length),
    bucket: width,
  });
  expect(screen.getByRole('heading', { name: title })).toBeTruthy();
});

test.each([
  ['en', 'Reads unknown', 'for part of the time it is unknown what was read', 'has never reported its reads'],
  ['zh', '采集情况未知', '部分时间的采集情况未知', '网关从未上报采集情况'],
] as const)('a cell whose reads nobody knows is not called complete (%s)', async (language, name, partly, why) => {
  serve({
    details: {
      collection: collected({ since_ms: START + 1.5 * HOUR }),
      buckets: [
        bucket(0, { collection: UNKNOWN }),
        bucket(1, { collection: collected({ since_ms: START + 1.5 * HOUR }) }),
        bucket(2, { late: 3, collection: collected({ not_reported_ms: 60_000 }) }),
        bucket(3, { collection: { ...UNKNOWN, no_figure: 'nothing_expected' } }),
      ],
    },
  });
  const { user } = await show(<CompletenessTab />, { permissions: MAY, at: AT, language });
  await screen.findByTestId('collection');
  expect(marks()).toEqual(['unknown', 'unknown', 'unknown', 'complete']);
  const legend = strip().parentElement?.querySelector('[data-mark=unknown]:not([data-chosen])')?.parentElement;
  expect(legend?.textContent).toBe(name);
  strip().focus();
  await user.keyboard('{Home}');
  expect(strip().getAttribute('aria-valuetext')).toContain(why);
  await user.keyboard('{ArrowRight}');
  expect(strip().getAttribute('aria-valuetext')).toContain(partly);
  expect(figure('collection').dataset.tone).toBe('off');
  expect(screen.getByTestId('reads-unknown').textContent).toBe(partly);
  await user.click(screen.getByTestId('cells-as').querySelectorAll('label')[1] as Element);
  const rows = (await screen.findAllByTestId('bucket-row')).map(cellsOf);
  expect(rows.map((cells) => cells[3]).slice(1)).toEqual([name, name, name]);
  expect(rows[3]?.[7]).toBe('–');
});

test('each cell is marked with what is most worth knowing of it', async () => {
  serve({
    details: {
      buckets: [
        bucket(0, { late: 4 }),
        bucket(1, { missing: 1, percent: 98, collection: collected({ missed: 5, percent: 98 }) }),
        bucket(2, { collection: collected({ missed: 5, percent: 98 }) }),
        bucket(3, { dropped_samples: 2 }),
      ],
      outages: [away({ offline_ms: START + 2 * HOUR, online_ms: null })],
      outages_total: 1,
    },
  });
  await tab();
  expect(marks()).toEqual(['late', 'missing', 'unread', 'dropped']);
  const offline = [...strip().querySelectorAll('[data-chosen]')].map((cell) => cell.getAttribute('data-offline'));
  expect(offline).toEqual(['false', 'false', 'true', 'true']);
});

test('the newest cell is told at first; keys walk over the cells and each is told in a sentence', async () => {
  const faulty = bucket(1, {
    received: 57,
    late: 2,
    missing: 3,
    duplicates: 1,
    percent: 95,
    reasons: { evicted: 2, held: 1 },
    collection: collected({ missed: 13, percent: 94.8 }),
  });
  serve({
    details: {
      buckets: [bucket(0), faulty, bucket(2), bucket(3, { ...NO_BATCH, collection: UNKNOWN })],
      outages: [away()],
      outages_total: 1,
    },
  });
  const { user } = await tab();
  const told = (): string => strip().getAttribute('aria-valuetext') ?? '';
  expect(told()).toBe(
    '2026-10-20 03:00 – 04:00 · collection – (the gateway has never reported its reads (older agent, or never connected)), No data due',
  );
  strip().focus();
  await user.keyboard('{ArrowLeft}{ArrowLeft}');
  expect(told()).toBe(
    '2026-10-20 01:00 – 02:00 · collection 94.800 % (missed reads: 13), transport 95.000 %, received 57, ' +
      'backfilled 2, missing 3 (held on the gateway 1, overwritten, storage was full 2), duplicates removed 1, ' +
      'gateway was offline',
  );
  expect(screen.getByTestId('strip-chosen').textContent).toBe(told());
  await user.keyboard('{Home}{ArrowLeft}');
  expect(strip().getAttribute('aria-valuenow')).toBe('0');
  fireEvent.pointerEnter(strip().querySelectorAll('[data-chosen]')[2] as Element);
  expect(strip().getAttribute('aria-valuenow')).toBe('2');
});

test('the cells are a table too, the newest first, and a figure that nobody knows is a dash', async () => {
  serve({
    details: {
      buckets: [
        bucket(0),
        bucket(1, { missing: 3, percent: 95, reasons: { held: 3 } }),
        bucket(2, { ...NO_BATCH, collection: UNKNOWN }),
      ],
      outages: [away()],
      outages_total: 1,
    },
  });
  const { user } = await tab();
  await user.click(within(screen.getByTestId('cells-as')).getByText('Table'));
  const rows = (await screen.findAllByTestId('bucket-row')).map(cellsOf);
  expect(screen.queryByTestId('strip')).toBeNull();
  expect(rows.map(([period]) => period?.slice(-13))).toEqual(['02:00 – 03:00', '01:00 – 02:00', '00:00 – 01:00']);
  expect(rows[0]?.slice(1, 4)).toEqual(['–', '–', 'No data due']);
  expect(rows[1]?.slice(1, 4)).toEqual(['100 %', '95.000 %', 'Batches missingGateway was offline']);
  expect(rows[1]?.at(-1)).toBe('3held on the gateway 3');
  expect(rows[2]?.slice(1, 4)).toEqual(['100 %', '100 %', 'Complete']);
  expect(new URLSearchParams(window.location.search).get('cells')).toBe('table');
});
