import { MIB } from './amounts';
import type { CardBody, CardFields, CardRow, RangeBody } from './api';

/** What is typed of the fields that cards of a range have in common. Numbers: '' for none; days: YYYY-MM-DD. */
export type FieldsDraft = {
  operator: string;
  supplier: string;
  status: string;
  activated: boolean;
  expires_on: string | null;
  plan_title: string;
  plan_mb: number | string;
  balance: number | string;
  billing_begin: string | null;
  billing_end: string | null;
  activated_on: string | null;
  outbound_on: string | null;
  created_on: string | null;
  silent_until: string | null;
  test_until: string | null;
  test_mb: number | string;
  remark: string;
};

/** checked_iccid: the number whose unusual check digit somebody compared with the card. */
export type CardDraft = FieldsDraft & { iccid: string; checked_iccid: string };

export type RangeDraft = FieldsDraft & { prefix: string; first: string; last: string; with_check_digit: boolean };

const NO_FIELDS: FieldsDraft = {
  operator: 'other',
  supplier: '',
  status: 'active',
  activated: false,
  expires_on: null,
  plan_title: '',
  plan_mb: '',
  balance: '',
  billing_begin: null,
  billing_end: null,
  activated_on: null,
  outbound_on: null,
  created_on: null,
  silent_until: null,
  test_until: null,
  test_mb: '',
  remark: '',
};

export const NO_CARD: CardDraft = { iccid: '', checked_iccid: '', ...NO_FIELDS };
export const NO_RANGE: RangeDraft = { prefix: '', first: '', last: '', with_check_digit: false, ...NO_FIELDS };

/** Fields of the API that have another name in the form. */
export const NAMES = { plan_bytes: 'plan_mb', balance_fen: 'balance', test_bytes: 'test_mb' } as const;

export const DAYS = [
  'expires_on',
  'billing_begin',
  'billing_end',
  'activated_on',
  'outbound_on',
  'created_on',
  'silent_until',
  'test_until',
] as const;

const mb = (bytes: number | null | undefined): number | string =>
  bytes === null || bytes === undefined ? '' : bytes / MIB;
const scaled = (typed: number | string, factor: number): number | null =>
  typed === '' ? null : Math.round(Number(typed) * factor);

export function cardDraft(row: CardRow): CardDraft {
  const { iccid, operator, supplier, status, activated, plan_title, remark } = row;
  const days = Object.fromEntries(DAYS.map((day) => [day, row[day] ?? null])) as Pick<
    FieldsDraft,
    (typeof DAYS)[number]
  >;
  return {
    ...NO_CARD,
    iccid,
    checked_iccid: iccid,
    operator: operator ?? NO_CARD.operator,
    supplier: supplier ?? '',
    status: status ?? NO_CARD.status,
    activated: activated ?? false,
    plan_title: plan_title ?? '',
    remark: remark ?? '',
    ...days,
    plan_mb: mb(row.plan_bytes),
    test_mb: mb(row.test_bytes),
    balance: row.balance_fen === null || row.balance_fen === undefined ? '' : row.balance_fen / 100,
  };
}

function fieldsBody(draft: FieldsDraft): CardFields {
  const days = Object.fromEntries(DAYS.map((day) => [day, draft[day] || null])) as Pick<
    CardFields,
    (typeof DAYS)[number]
  >;
  return {
    operator: draft.operator as CardFields['operator'],
    supplier: draft.supplier.trim(),
    status: draft.status as CardFields['status'],
    activated: draft.activated,
    plan_title: draft.plan_title.trim(),
    remark: draft.remark.trim(),
    ...days,
    plan_bytes: scaled(draft.plan_mb, MIB),
    test_bytes: scaled(draft.test_mb, MIB),
    balance_fen: scaled(draft.balance, 100),
  };
}

export function cardBody(draft: CardDraft): CardBody {
  return { iccid: plainIccid(draft.iccid), ...fieldsBody(draft) };
}

export function rangeBody({ prefix, first, last, with_check_digit, ...fields }: RangeDraft): RangeBody {
  return {
    prefix: plainIccid(prefix),
    first: first.trim(),
    last: last.trim(),
    with_check_digit,
    fields: fieldsBody(fields),
  };
}

/** Without blanks and dashes, in capital letters, as the cloud writes it. */
export function plainIccid(typed: string): string {
  return typed.replace(/[\s-]/g, '').toUpperCase();
}

/** The last digit that ITU-T E.118 wants of a number of 19 digits that has another one; null for every other number. */
export function expectedDigit(typed: string): string | null {
  const iccid = plainIccid(typed).replace(/F+$/, '');
  if (!/^[0-9]{19}$/.test(iccid)) return null;
  let sum = 0;
  for (let place = 0; place < 18; place += 1) {
    const value = Number(iccid[17 - place]) * (place % 2 === 0 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  const wanted = String((10 - (sum % 10)) % 10);
  return iccid.endsWith(wanted) ? null : wanted;
}

/** The ends of a range, as far as it is typed; null while it is not. */
export function endsOf({
  prefix,
  first,
  last,
}: Pick<RangeDraft, 'prefix' | 'first' | 'last'>): [string, string] | null {
  const digits = /^[0-9]{1,9}$/;
  if (prefix.trim() === '' || !digits.test(first.trim()) || !digits.test(last.trim())) return null;
  return [plainIccid(prefix) + first.trim(), plainIccid(prefix) + last.trim()];
}
