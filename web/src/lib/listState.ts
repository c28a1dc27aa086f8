import type { SearchValues } from './screens';

export interface Sort {
  /** Name that the API sorts by. */
  by: string;
  descending: boolean;
}

/** What a list shows, as its address says it. */
export interface ListQuery {
  /** From 1. */
  page: number;
  limit: number;
  sort: Sort | null;
  /** One entry for each filter of the list; '' for none. */
  filters: Record<string, string>;
}

export interface ListRules {
  /** Parameters of the address that filter the list. */
  filters: readonly string[];
  /** Names that may be sorted by. */
  sorts: readonly string[];
  sizes: readonly number[];
  /** Rows of a page when the address names none. */
  size: number;
  sort: Sort | null;
}

/** 'name' upwards, '-name' downwards: as the API takes it and as it stands in the address. */
export function sortText(sort: Sort | null): string | undefined {
  return sort === null ? undefined : `${sort.descending ? '-' : ''}${sort.by}`;
}

/** Null for a text that names nothing to sort by. */
export function parseSort(text: string | undefined, sorts: readonly string[]): Sort | null {
  if (text === undefined) return null;
  const descending = text.startsWith('-');
  const by = descending ? text.slice(1) : text;
  return sorts.includes(by) ? { by, descending } : null;
}

/** The next state of a column's header: upwards, downwards, as it was. */
export function nextSort(sort: Sort | null, by: string): Sort | null {
  if (sort === null || sort.by !== by) return { by, descending: false };
  return sort.descending ? null : { by, descending: true };
}

/** What an address asks for; what is not there or not valid has its default. */
export function listQuery(search: SearchValues, rules: ListRules): ListQuery {
  const page = Number(search.page ?? 1);
  const limit = Number(search.limit ?? rules.size);
  return {
    page: Number.isSafeInteger(page) && page >= 1 ? page : 1,
    limit: rules.sizes.includes(limit) ? limit : rules.size,
    sort: parseSort(search.sort, rules.sorts) ?? rules.sort,
    filters: Object.fromEntries(rules.filters.map((name) => [name, (search[name] ?? '').trim()])),
  };
}

/** Is any filter set? Then an empty list means that nothing matches, not that there is nothing. */
export function isFiltered(query: Pick<ListQuery, 'filters'>): boolean {
  return Object.values(query.filters).some((value) => value !== '');
}

/** The page to show when the asked one has no rows; null when it stands. */
export function pageBefore(page: number, rows: number, total: number, limit: number): number | null {
  if (rows > 0 || page <= 1) return null;
  return Math.max(1, Math.min(page - 1, Math.ceil(total / limit)));
}

/** Rows of a list that is held whole: those with the text, sorted. Numbers by size, texts as the language sorts them. */
export function arranged<Row>(
  rows: readonly Row[],
  textOf: (row: Row) => string,
  wanted: string,
  valueOf: ((row: Row) => string | number) | null,
  descending: boolean,
  language: string,
): readonly Row[] {
  const text = wanted.toLowerCase();
  const matching = text === '' ? rows : rows.filter((row) => textOf(row).toLowerCase().includes(text));
  if (valueOf === null) return matching;
  const { compare } = new Intl.Collator(language, { numeric: true });
  const order = (a: string | number, b: string | number): number =>
    typeof a === 'number' && typeof b === 'number' ? a - b : compare(String(a), String(b));
  const keyed = matching.map((row) => ({ row, value: valueOf(row) }));
  keyed.sort((a, b) => (descending ? order(b.value, a.value) : order(a.value, b.value)));
  return keyed.map(({ row }) => row);
}
