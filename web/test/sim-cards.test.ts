import { expect, test } from 'vitest';
import { dataText, dayMs, GIB, MIB, moneyText } from '@/features/sim-cards/amounts';
import { wantedOf } from '@/features/sim-cards/api';
import type { CardRow, UsageDay } from '@/features/sim-cards/api';
import {
  cardBody,
  cardDraft,
  endsOf,
  expectedDigit,
  NO_CARD,
  NO_RANGE,
  plainIccid,
  rangeBody,
} from '@/features/sim-cards/draft';
import { usageChart } from '@/features/sim-cards/usage';
import { CARD } from './components/sim-fixtures';

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1536, '1.5 KB'],
  [-2 * MIB, '-2 MB'],
  [30 * GIB, '30 GB'],
  [1.234 * GIB, '1.23 GB'],
  [12.34 * GIB, '12.3 GB'],
  [5000 * GIB, '4.88 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(dataText(bytes)).toBe(text);
});

test('money has two decimals, a day begins in the browser', () => {
  expect([moneyText(1250), moneyText(-5)]).toEqual(['12.50', '-0.05']);
  expect(dayMs('2026-03-01')).toBe(new Date(2026, 2, 1).getTime());
  expect([dayMs(null), dayMs(''), dayMs(undefined)]).toEqual([null, null, null]);
});

test('a form gives back what the card has', () => {
  const { iccid, operator, supplier, status, activated, plan_title, remark, plan_bytes, balance_fen, test_bytes } =
    CARD;
  expect(cardBody(cardDraft(CARD))).toEqual({
    iccid,
    operator,
    supplier,
    status,
    activated,
    plan_title,
    remark,
    plan_bytes,
    balance_fen,
    test_bytes,
    expires_on: CARD.expires_on,
    billing_begin: CARD.billing_begin,
    billing_end: CARD.billing_end,
    activated_on: null,
    outbound_on: null,
    created_on: null,
    silent_until: null,
    test_until: null,
  });
});

test.each([
  ['8986001234567890125', '0'],
  ['89860 0123456789-0120', null],
  ['8986001234567890125F', '0'],
  ['89860012345678901234', null], // of 20 digits, which often have none
  ['8986001234567890A20', null],
  ['', null],
])('the number %s wants the check digit %s', (iccid, digit) => {
  expect(expectedDigit(iccid)).toBe(digit);
});

test('an empty number is none, another one is counted in bytes and 1/100', () => {
  const typed = { ...NO_CARD, iccid: ' 8986-0012 3456 7890 123f ', plan_mb: '', balance: 12.5, test_mb: 0.5 };
  expect(cardBody(typed)).toMatchObject({
    iccid: '8986001234567890123F',
    plan_bytes: null,
    balance_fen: 1250,
    test_bytes: MIB / 2,
  });
});

test('a range as it is typed', () => {
  const typed = { ...NO_RANGE, prefix: '8986 0012', first: ' 0098 ', last: '0101', supplier: ' Li ' };
  expect(rangeBody(typed)).toMatchObject({
    prefix: '89860012',
    first: '0098',
    last: '0101',
    with_check_digit: false,
    fields: { supplier: 'Li', status: 'active' },
  });
  expect(endsOf(typed)).toEqual(['898600120098', '898600120101']);
  for (const part of [{ prefix: '' }, { first: 'x' }, { last: '' }]) expect(endsOf({ ...typed, ...part })).toBeNull();
  expect(plainIccid('89 86-a')).toBe('8986A');
});

test('filters that the API does not know stay out', () => {
  expect(wantedOf({ search: '', operator: 'x', status: 'x', expires: '7', place: 'x' })).toEqual({
    search: undefined,
    operator: undefined,
    status: undefined,
    expires_within: undefined,
    bound: undefined,
    moved: undefined,
  });
  expect(wantedOf({ search: 'a', operator: 'cmcc', status: 'test', expires: '30', place: 'unbound' })).toEqual({
    search: 'a',
    operator: 'cmcc',
    status: 'test',
    expires_within: 30,
    bound: false,
    moved: undefined,
  });
  expect(wantedOf({ place: 'moved' })?.moved).toBe(true);
});

const WORDS = { counted: 'Counted', billed: 'Billed' };
const day = (date: string, bytes: number | null, billed: number | null = null): UsageDay => ({
  day: date,
  received: bytes,
  sent: bytes === null ? null : 0,
  billed_bytes: billed,
});
const chart = (days: readonly UsageDay[], more: Partial<CardRow> = {}) => usageChart(days, { ...CARD, ...more }, WORDS);

test('the chart has sums of the billing period, with the plan as their limit', () => {
  const made = chart([
    day('2026-02-28', 5 * GIB),
    day('2026-03-01', GIB),
    day('2026-03-02', null, 3 * GIB),
    day('2026-03-03', 2 * GIB),
  ]);
  expect(made?.series.map(({ label, unit, y, max }) => [label, unit, [...y], max])).toEqual([
    ['Counted', 'GB', [1, 3], 30],
    ['Billed', 'GB', [3], 30],
  ]);
  expect([made?.min, made?.max]).toEqual([dayMs('2026-03-01'), dayMs('2026-03-04')]);
  expect(made?.series[0]?.t).toEqual([dayMs('2026-03-02'), dayMs('2026-03-04')]);
});

test('small amounts are in MB, and nothing is no chart', () => {
  const few = chart([day('2026-03-01', MIB)], { plan_bytes: null });
  expect(few?.series.map(({ unit, y, max }) => [unit, [...y], max])).toEqual([['MB', [1], null]]);
  expect(chart([])).toBeNull();
  expect(chart([day('2026-02-01', GIB)])).toBeNull();
  expect(chart([day('2026-03-01', null)])).toBeNull();
});

test('without a billing period the days are added up that there are, without a limit', () => {
  const made = chart([day('2026-02-28', GIB), day('2026-03-01', GIB)], { billing_begin: null, billing_end: null });
  expect(made?.series.map(({ y, max }) => [[...y], max])).toEqual([[[1, 2], null]]);
  expect(made?.min).toBe(dayMs('2026-02-28'));
});
