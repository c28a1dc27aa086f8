import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { CollectionGap, GapEntry, ListGapsData, ListGapsResponse } from '@/api/generated/types.gen';
import { formatDateTime } from '@/lib/time';
import { cellsOf } from './cells';
import { away, bandRow, collected, DAY, GAPS, HOUR, serve, served, slave, START, tab } from './completeness-fixtures';
import { answer } from './network';

function missed(changes: Partial<CollectionGap> = {}): CollectionGap {
  return {
    id: 1,
    slave: 'boiler',
    points: [],
    from_ms: START + HOUR,
    to_ms: START + 2 * HOUR,
    reason: 'no_answer',
    lent_to: null,
    missed: 60,
    ...changes,
  };
}

function gap(changes: Partial<GapEntry> = {}): GapEntry {
  return {
    id: 1,
    stream: 's',
    first_seq: 100,
    last_seq: 109,
    missing: 10,
    reason: 'held',
    found_ms: START + 2 * HOUR,
    filled_ms: null,
    from_ms: START + HOUR,
    to_ms: START + 2 * HOUR,
    ...changes,
  };
}

beforeEach(() => serve({}));

test('the row of a gateway that reported before the period has nothing unknown', async () => {
  await tab();
  expect(bandRow('').querySelector('[data-unknown]')).toBeNull();
});

test('the gateway stands above its slaves, and these with the worst share first', async () => {
  serve({
    collection: {
      collection: collected({ good: 990, missed: 10, percent: 99 }),
      slaves: [
        slave('meter', {}, 'Meter'),
        slave('oven', { expected: 0, good: 0, percent: null, no_figure: 'nothing_expected' }),
        slave('boiler', { good: 900, missed: 100, percent: 90, reasons: { no_answer: 100 } }, 'Boiler'),
      ],
    },
  });
  await tab();
  const rows = screen.getAllByTestId('collection-row');
  expect(rows.map(({ dataset }) => dataset.slave)).toEqual(['', 'boiler', 'meter', 'oven']);
  expect(rows[0]?.textContent).toMatch(/^Entire gateway99\.000 %/);
  expect(rows[1]?.textContent).toMatch(/^Boiler90\.000 %/);
  expect(rows[2]?.textContent).toMatch(/^Meter100 %/);
  expect(rows[3]?.textContent).toMatch(/^ovenno reads expected/);
  expect(rows[3]?.textContent).not.toContain('%');
});

test('a gap lies in its slave’s row at its time, one of the whole gateway in every row', async () => {
  serve({
    collection: {
      slaves: [slave('boiler', { percent: 75 }, 'Boiler'), slave('meter')],
      gaps: [missed(), missed({ id: 2, slave: null, reason: 'not_running', from_ms: START, to_ms: START + HOUR })],
      gaps_total: 9,
    },
  });
  await tab();
  const pieces = (name: string): string[] =>
    [...bandRow(name).querySelectorAll<HTMLElement>('[data-reason]')].map(
      ({ dataset, style }) => `${dataset.reason} ${style.insetInlineStart} ${style.inlineSize}`,
    );
  expect(pieces('')).toEqual(['not_running 0% 25%']);
  expect(pieces('boiler')).toEqual(['not_running 0% 25%', 'no_answer 25% 25%']);
  expect(pieces('meter')).toEqual(['not_running 0% 25%']);
  expect(bandRow('boiler').textContent).toContain('no response');
  expect(screen.getByText('The chart shows only the newest 2 of 9 gaps')).toBeTruthy();
});

test('time before the first report is drawn as unknown, not as read', async () => {
  serve({ collection: { collection: collected({ since_ms: START + 2 * HOUR }) } });
  await tab();
  const unknown = bandRow('').querySelector<HTMLElement>('[data-unknown]');
  expect(unknown?.dataset.unknown).toBe('before');
  expect(unknown?.style.inlineSize).toBe('50%');
  expect(screen.getByText("unknown: before the gateway's first report", { selector: 'li' })).toBeTruthy();
});

test('of many slaves thirty rows are shown, the others on demand', async () => {
  const many = Array.from({ length: 40 }, (_, at) => slave(`s${at}`));
  serve({ collection: { slaves: many } });
  const { user } = await tab();
  expect(screen.getAllByTestId('collection-row')).toHaveLength(30);
  await user.click(screen.getByRole('button', { name: 'Show all slaves (40)' }));
  expect(screen.getAllByTestId('collection-row')).toHaveLength(41);
});

test('points that fared worse than their slave are named with their share', async () => {
  serve({
    collection: {
      points: [
        { slave: 'boiler', point: 'flow', title: 'Flow', dsid: 3, expected: 100, good: 40, percent: 40 },
        { slave: 'boiler', point: 'spare', title: null, dsid: null, expected: 0, good: 0, percent: null },
      ],
    },
  });
  await tab();
  const [flow, spare] = within(screen.getByTestId('collection-points')).getAllByRole('listitem', { hidden: true });
  expect(flow?.textContent).toBe('boiler.flow Flow 40.000 % (40 / 100)');
  expect(spare?.textContent).toContain('– (0 / 0)');
});

test('of a period longer than the cloud answers at once its newest 30 days are asked for, and this is said', async () => {
  const end = START + 90 * DAY;
  await tab(`/?device_id=7&start=${START}&end=${end}`);
  expect(served.collection[0]?.query.get('from_ms')).toBe(String(end - 30 * DAY));
  await waitFor(() => expect(served.missed[0]?.query.get('from_ms')).toBe(String(end - 30 * DAY)));
  expect(served.details[0]?.query.get('from_ms')).toBe(String(START));
  expect(screen.getByText('Only the newest 30 days of the period are shown')).toBeTruthy();
});

test('a collection gap has its slave, its points, its reason, its reads and the history around it', async () => {
  serve({
    missed: [
      missed({ points: ['flow', 'level'] }),
      missed({ id: 2, slave: null, reason: 'port_lent', lent_to: 'Li', missed: 0, to_ms: START + HOUR + 60_000 }),
    ],
  });
  const { user, went } = await tab();
  const [first, second] = await screen.findAllByTestId('collection-gap-row');
  expect(cellsOf(first).slice(1)).toEqual([
    'boilerflow, level',
    'no responsethe slave did not respond within the cycle, or polling was paused because of that',
    '60',
  ]);
  expect(cellsOf(second)[1]).toBe('Entire gateway');
  expect(cellsOf(second)[2]).toContain('Port in use by Li');
  expect(cellsOf(second)[3]).toBe('–');
  const [link, short] = screen.getAllByRole('link', { name: 'View surrounding history' }) as HTMLAnchorElement[];
  expect(new URLSearchParams(short?.search).get('start')).toBe(String(START + HOUR - 300_000));
  await user.click(link as HTMLElement);
  expect(went()).toBe(`/deviceDetail/index?device_id=7&tab=history&start=${START}&end=${START + 3 * HOUR}`);
});

test('collection gaps are filtered by slave and reason in the cloud', async () => {
  serve({ collection: { slaves: [slave('boiler', {}, 'Boiler')] } });
  const { user } = await tab();
  await user.click(screen.getByRole('combobox', { name: 'Filter by slave' }));
  await user.click(await screen.findByRole('option', { name: 'Boiler', hidden: true }));
  await waitFor(() => expect(served.missed.at(-1)?.query.get('slave')).toBe('boiler'));
  expect(served.missed.at(-1)?.query.has('reason')).toBe(false);
  await user.click(screen.getByTestId('collection-gap-filter'));
  await user.click(await screen.findByRole('option', { name: 'device error', hidden: true }));
  await waitFor(() => expect(served.missed.at(-1)?.query.get('reason')).toBe('device_error'));
  expect(served.missed.at(-1)?.query.get('slave')).toBe('boiler');
});

test('a gap of batches says what is missing of it, why, and whether it will still come', async () => {
  const filled = gap({ id: 3, reason: 'damaged', missing: 0, filled_ms: START + 3 * HOUR });
  serve({ gaps: [gap({ missing: 4 }), gap({ id: 2, reason: 'evicted' }), filled] });
  await tab();
  const [held, evicted, whole] = (await screen.findAllByTestId('gap-row')).map(cellsOf);
  expect(held?.[0]).toContain('batches 100–109');
  expect(held?.[1]).toBe('held on the gatewayThe gateway still holds these batches; they have been requested');
  expect(held?.slice(2)).toEqual(['4 / 10', formatDateTime(START + 2 * HOUR), 'waiting for backfill']);
  expect(evicted?.[1]).toContain('they cannot be recovered');
  expect(evicted?.at(-1)).toBe('not filled');
  expect(whole?.[1]).toBe('damaged on arrival');
  expect(whole?.slice(2)).toEqual(['0 / 10', formatDateTime(START + 2 * HOUR), formatDateTime(START + 3 * HOUR)]);
});

test('gaps of batches are filtered by reason in the cloud; all reasons ask for none', async () => {
  const calls = answer<ListGapsData, ListGapsResponse>('get', GAPS, ({ query }) =>
    query.has('reason') ? { rows: [], total: 0 } : { rows: [gap()], total: 1 },
  );
  const { user } = await tab();
  await screen.findByTestId('gap-row');
  await user.click(screen.getByTestId('gap-filter'));
  await user.click(await screen.findByRole('option', { name: 'storage replaced', hidden: true }));
  await waitFor(() => expect(screen.queryByTestId('gap-row')).toBeNull());
  expect(calls.map(({ query }) => query.get('reason'))).toEqual([null, 'replaced']);
  await user.click(screen.getByTestId('table-clear'));
  expect(await screen.findByTestId('gap-row')).toBeTruthy();
});

test('times offline name who was away and why; one that lasts has no end', async () => {
  serve({
    details: {
      outages: [
        away({ online_ms: null, duration_ms: 2 * HOUR }),
        away({ id: 2, slave: 'boiler', slave_title: 'Boiler', reason: 'no_answer' }),
        away({ id: 3, slave: 'meter', lent_to: 'Li' }),
        away({ id: 4, slave: 'oven', reason: 'unheard_of' }),
      ],
      outages_total: 40,
    },
  });
  await tab();
  const rows = screen.getAllByTestId('outage-row').map(cellsOf);
  expect(rows[0]?.slice(0, 3)).toEqual(['Gateway', formatDateTime(START + HOUR), 'still offline']);
  expect(rows[0]?.[3]).toMatch(/^2 h/);
  expect(rows[1]?.[0]).toBe('Boiler');
  expect(rows[1]?.[2]).toBe(formatDateTime(START + 2 * HOUR));
  expect(rows[1]?.[4]).not.toBe('no_answer');
  expect(rows[2]?.[0]).toBe('meter');
  expect(rows[2]?.[4]).toBe('Port in use by Li');
  expect(rows[3]?.[4]).toBe('unheard_of');
  expect(screen.getByText('the newest 4 of 40')).toBeTruthy();
});
