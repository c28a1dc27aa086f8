import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import type {
  GetCollectionData,
  GetCompletenessData,
  ListCollectionGapsData,
  ListGapsData,
} from '@/api/generated/types.gen';
import CompletenessTab from '@/features/completeness/screens/CompletenessTab';
import {
  AT,
  bandRow,
  bucket,
  collected,
  collection,
  COLLECTION,
  COLLECTION_GAPS,
  DETAILS,
  details,
  figure,
  GAPS,
  marks,
  MAY,
  NO_BATCH,
  serve,
  slave,
  tab,
  UNKNOWN,
} from './completeness-fixtures';
import { network, refuse } from './network';
import { show } from './render';

beforeEach(() => serve({}));

/** A count of the summary with what is noted beside it. */
const count = (name: string): string => screen.getByText(name, { selector: 'dl dt' }).nextSibling?.textContent ?? '';

test('100 % stands for both figures when nothing is missing', async () => {
  await tab();
  for (const name of ['collection', 'completeness'] as const) {
    expect(figure(name).textContent).toBe('100 %');
    expect(figure(name).dataset.tone).toBe('ok');
  }
  expect(marks()).toEqual(['complete', 'complete', 'complete', 'complete']);
  expect(await screen.findByText('No collection gaps in this period')).toBeTruthy();
  expect(await screen.findByText('No gaps in this period')).toBeTruthy();
});

test('one read or one batch of millions that is missing keeps a figure below 100 %', async () => {
  serve({
    details: {
      collection: collected({ expected: 9_999_999, good: 9_999_998, missed: 1, percent: 99.999 }),
      percent: 99.9995,
      missing: 1,
      reasons: { unknown: 1 },
    },
  });
  await tab();
  for (const name of ['collection', 'completeness'] as const) {
    expect(figure(name).textContent).toBe('99.999 %');
    expect(figure(name).dataset.tone).toBe('bad');
  }
});

test('what is missing stands beside its count with its reasons, what is late or double with its meaning', async () => {
  serve({
    details: {
      percent: 97.5,
      late: 12,
      late_samples: 480,
      duplicates: 3,
      missing: 6,
      reasons: { evicted: 5, held: 1 },
      dropped_samples: 40,
      collection: collected({ good: 977, missed: 23, percent: 97.7, reasons: { frozen: 3, no_answer: 20 } }),
    },
  });
  await tab();
  expect(count('Good reads')).toBe('977expected: 1000');
  expect(count('Missed reads')).toBe('23no response 20, gateway program stalled 3');
  expect(count('Of these backfilled')).toBe('12Samples: 480');
  expect(count('Duplicates removed')).toBe('3received again, stored once');
  expect(count('Batches missing')).toBe('6held on the gateway 1, overwritten, storage was full 5');
  expect(count('Samples dropped')).toBe('40as reported by the gateway: never stored');
});

test('of a gateway that never reported its reads there is no figure, and the reason in its place', async () => {
  serve({ details: { collection: UNKNOWN }, collection: { collection: UNKNOWN } });
  await tab();
  expect(figure('collection').textContent).toBe('–');
  expect(figure('collection').dataset.tone).toBe('off');
  expect(figure('collection').parentElement?.textContent).toContain('has never reported its reads');
  expect(figure('completeness').textContent).toBe('100 %');
  expect(bandRow('').textContent).toContain('has never reported its reads');
  expect(screen.queryByText('No collection gaps in this period')).toBeNull();
  expect(await screen.findByText('No information about this period')).toBeTruthy();
});

test('without a batch and without a gap the transport has no figure; the reads have theirs', async () => {
  serve({ details: { ...NO_BATCH, buckets: [bucket(0, NO_BATCH)] } });
  await tab();
  expect(figure('completeness').textContent).toBe('–');
  expect(figure('completeness').parentElement?.textContent).toContain('No batch was due in this period');
  expect(figure('collection').textContent).toBe('100 %');
  expect(marks()).toEqual(['nothing']);
  expect(await screen.findByText('No information about this period')).toBeTruthy();
  expect(screen.queryByText('No gaps in this period')).toBeNull();
});

test.each([
  ['never_reported', 'has never reported its reads'],
  ['not_yet', 'before the first report of the gateway'],
  ['not_reported', 'not reported yet'],
  ['nothing_expected', 'no reads expected'],
] as const)('a period of which nothing is known says so, and why (%s)', async (no_figure, why) => {
  const unknown = { ...UNKNOWN, no_figure };
  serve({ details: { ...NO_BATCH, collection: unknown, buckets: [] }, collection: { collection: unknown } });
  await tab();
  const words = screen.getAllByTestId('empty-state')[0]?.textContent;
  expect(words).toContain('This does not mean that data is complete');
  expect(words).toContain(why);
  expect(screen.queryByTestId('completeness-percent')).toBeNull();
  expect(document.body.textContent).not.toContain('100 %');
});

test('nobody was away is said only when somebody reported', async () => {
  serve({ details: { ...NO_BATCH, collection: UNKNOWN } });
  const { unmount } = await tab();
  expect(screen.queryByText(/Neither the gateway nor any slave was offline/)).toBeNull();
  unmount();
  serve({ details: { ...NO_BATCH, collection: { ...UNKNOWN, no_figure: 'nothing_expected' } } });
  await tab('/?device_id=8');
  expect(screen.getByText(/Neither the gateway nor any slave was offline/)).toBeTruthy();
});

test('samples that the gateway dropped are shown though no batch was due', async () => {
  serve({ details: { ...NO_BATCH, collection: UNKNOWN, dropped_samples: 9 } });
  await tab();
  expect(figure('completeness').textContent).toBe('–');
  expect(count('Samples dropped')).toMatch(/^9/);
});

test('details that cannot be read say why, and are asked for again', async () => {
  refuse<GetCompletenessData>('get', DETAILS, { status: 500, code: 20_000, data: { message: 'disk full' } });
  const { user } = await show(<CompletenessTab />, { permissions: MAY, at: AT });
  expect((await screen.findByTestId('error-state')).textContent).toContain('disk full');
  expect(screen.queryByTestId('collection')).toBeNull();
  serve({});
  await user.click(screen.getByRole('button', { name: /again|retry/i }));
  expect(await screen.findByTestId('completeness-percent')).toBeTruthy();
});

test('reads that cannot be read leave the rest of the page, and claim nothing', async () => {
  refuse<GetCollectionData>('get', COLLECTION, { status: 500, code: 20_000, data: { message: 'no store' } });
  await show(<CompletenessTab />, { permissions: MAY, at: AT });
  expect((await screen.findByTestId('error-state')).textContent).toContain('no store');
  expect(figure('completeness').textContent).toBe('100 %');
  expect(screen.queryByText('No collection gaps in this period')).toBeNull();
});

test('gaps that cannot be read are not called none', async () => {
  refuse<ListGapsData>('get', GAPS, { status: 500, code: 20_000, data: { message: 'no gap store' } });
  refuse<ListCollectionGapsData>('get', COLLECTION_GAPS, { status: 503, code: 20_000, data: { message: 'no reads' } });
  await tab();
  await waitFor(() => expect(screen.getAllByTestId('error-state')).toHaveLength(2));
  expect(document.body.textContent).toMatch(/no reads.*no gap store/);
  expect(screen.queryByText('No gaps in this period')).toBeNull();
  expect(screen.queryByText('No collection gaps in this period')).toBeNull();
});

test('of reads that nobody knows no count says that none is missed', async () => {
  serve({ details: { collection: UNKNOWN } });
  await tab();
  expect(count('Missed reads')).toBe('–');
});

test('while another period loads the figures are marked as those of the one before', async () => {
  serve({ collection: { slaves: [slave('boiler')] } });
  const { user } = await tab();
  expect(await screen.findByText('No gaps in this period')).toBeTruthy();
  expect(document.querySelectorAll('[data-old]')).toHaveLength(0);
  const release: (() => void)[] = [];
  const held = new Promise<void>((resolve) => release.push(resolve));
  const later = (url: string, data: unknown): void =>
    network.use(
      http.get(`*${url.replace('{device_id}', ':id')}`, async () => {
        await held;
        return HttpResponse.json({ code: 0, msg: '', data });
      }),
    );
  later(DETAILS, details({ percent: 50, missing: 240, buckets: [bucket(0)] }));
  later(COLLECTION, collection({ collection: collected({ percent: 40 }) }));
  await user.click(await screen.findByTestId('range-picker'));
  await user.click(await screen.findByTestId('range-past30Days'));
  const old = await waitFor(() => {
    const found = [...document.querySelectorAll<HTMLElement>('[data-old]')];
    expect(found).toHaveLength(3);
    return found;
  });
  for (const region of old) {
    expect(region.getAttribute('aria-busy')).toBe('true');
    expect(within(region).getByRole('status').textContent).toBe('Loading; still showing the previous data');
  }
  expect(old[0]?.contains(figure('completeness'))).toBe(true);
  expect(old[1]?.contains(screen.getByTestId('collection-band'))).toBe(true);
  expect(old[2]?.textContent).toContain('Offline records');
  expect(marks()).toHaveLength(4);
  expect(screen.getByRole('heading', { name: 'By hour' })).toBeTruthy();
  expect(screen.queryByText('No gaps in this period')).toBeNull();
  expect(screen.queryByText('No collection gaps in this period')).toBeNull();
  release[0]?.();
  await waitFor(() => expect(figure('completeness').textContent).toBe('50.000 %'));
  await waitFor(() => expect(document.querySelectorAll('[data-old]')).toHaveLength(0));
  expect(screen.getByRole('heading', { name: 'By day' })).toBeTruthy();
});
