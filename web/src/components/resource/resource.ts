import type { FormValidateInput } from '@mantine/form';
import type { ReactNode } from 'react';
import type { ListQuery, Sort } from '@/lib/listState';
import type { Span } from '@/lib/time';
import type { ApiForm } from '../form/useApiForm';
import type { Asks } from '../permission';
import type { Column, RowId } from '../table/columns';
import type { EmptyWords } from '../table/TableState';
import type { Filter } from './filters';

/** What a list is asked for; span when it has a filter of kind range. */
export interface ListRequest extends ListQuery {
  /** 'name', '-name' or undefined, as the API takes it. */
  sortBy: string | undefined;
  span: Span;
}

export interface Page<Row> {
  rows: readonly Row[];
  total: number;
}

export type FormMode = 'create' | 'edit' | 'copy';

export interface ResourceForm<Row, Values> {
  /** What a new one begins with. */
  empty: Values;
  /** The form's values of a row. */
  of: (row: Row) => Values;
  /** The values of a copy; without it rows cannot be copied. */
  copy?: (row: Row) => Values;
  /** The inputs; call form.fields.getInputProps. */
  fields: (form: ApiForm<Values>, mode: FormMode, row: Row | null) => ReactNode;
  validate?: FormValidateInput<Values>;
  /** Without one nothing can be made, or changed. The answer goes to onSaved. */
  create?: (values: Values) => Promise<unknown>;
  update?: (row: Row, values: Values) => Promise<unknown>;
  mayCreate?: Asks;
  mayUpdate?: Asks;
  /** '' when this row may be changed, else why not. */
  whyNotUpdate?: (row: Row) => string;
  words: { create: string; edit: string };
  /** Fields of the API that have another name in the form. */
  names?: Readonly<Record<string, string>>;
  onSaved?: (answer: unknown, values: Values, mode: FormMode) => void;
}

export interface ResourceRemove<Row> {
  may?: Asks;
  /** Name of a row, for the question. */
  what: (row: Row) => string;
  call: (row: Row) => Promise<unknown>;
  /** What goes with it. */
  impact?: (row: Row) => ReactNode;
  /** To be typed first, for what cannot be had back. */
  typed?: (row: Row) => string;
  /** Make it again from what the deletion answered; a toast offers it for 10 s. */
  undo?: (row: Row, answer: unknown) => Promise<unknown>;
  /** '' when this row may be deleted, else why not. */
  whyNot?: (row: Row) => string;
}

export interface BulkAction<Row> {
  id: string;
  label: string;
  may?: Asks;
  danger?: boolean;
  /** Only opens something, which says itself how it ended; what is selected stays. */
  opens?: boolean;
  /** Says itself how it ended. */
  tells?: boolean;
  /** Asked first. */
  question?: (count: number) => string;
  /** Gets ids of rows of all pages; rows: those of this page. Runs once; what it throws is shown. */
  run: (ids: readonly RowId[], rows: readonly Row[]) => Promise<unknown>;
}

/**
 * One list with all that can be done to it. Everything here is made once (useMemo) or outside of the component: rows are
 * drawn anew only for new data.
 *
 *     const resource = useMemo<Resource<User, Draft>>(() => ({
 *       name: 'users', title: words.title, queryKey: ['user'], rowId: (row) => row.user_id,
 *       load: ({ page, limit, sortBy, filters }, signal) =>
 *         call(sdk.listUsers({ query: { page, limit, sort: sortBy, search: filters.search }, signal })),
 *       columns: [{ id: 'name', title: words.name, cell: (row) => row.user_name, text: (row) => row.user_name,
 *                   sort: 'user_name', fixed: true, card: 'title' }],
 *       filters: [{ kind: 'search', name: 'search', label: words.search }],
 *       form: { empty, of: draftOf, words: { create: words.add, edit: words.edit }, mayCreate: 'auth.User', fields: drawFields,
 *               create: (values) => call(sdk.createUser({ body: values })),
 *               update: (row, values) => call(sdk.updateUser({ path: { id: row.user_id }, body: values })) },
 *       remove: { what: (row) => row.user_name, call: (row) => call(sdk.deleteUser({ path: { id: row.user_id } })) },
 *     }), [words]);
 *     return <ResourcePage resource={resource} />;
 */
export interface Resource<Row, Values extends Record<string, unknown> = Record<string, unknown>> {
  /** Name of the list: test ids, kept columns. */
  name: string;
  title: string;
  /** Key of the query; changes elsewhere invalidate it. */
  queryKey: readonly unknown[];
  load: (request: ListRequest, signal: AbortSignal) => Promise<Page<Row>>;
  /** Where nothing pushes what changes by itself: asked again after so many milliseconds. */
  refetchMs?: (rows: readonly Row[]) => number;
  rowId: (row: Row) => RowId;
  columns: readonly Column<Row>[];
  filters?: readonly Filter[];
  sort?: Sort;
  /** The list is loaded whole (one call) and searched and sorted here; only rows in view are drawn. */
  unpaged?: boolean;
  form?: ResourceForm<Row, Values>;
  remove?: ResourceRemove<Row>;
  bulk?: readonly BulkAction<Row>[];
  /** Further buttons of a row, before edit and delete. */
  rowActions?: (row: Row) => ReactNode;
  onOpen?: (row: Row) => void;
  empty?: EmptyWords;
  /** File of all that the filters leave; without it the loaded rows are exported as CSV. */
  download?: { may?: Asks; name: string; load: (request: ListRequest) => Promise<Blob> };
  /** Further tools beside 'create'. */
  tools?: ReactNode;
}
