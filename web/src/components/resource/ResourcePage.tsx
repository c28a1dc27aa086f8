import { IconPlus } from '@tabler/icons-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { csvText } from '@/lib/csv';
import { copyText, datedName, saveText } from '../clipboard';
import { showNotice, showSuccess } from '../notices';
import { Paging } from '../Paging';
import { PermButton, usePerm } from '../permission';
import { textOf } from '../table/columns';
import { ColumnMenu } from '../table/ColumnMenu';
import { DataTable } from '../table/DataTable';
import { useColumns } from '../table/useColumns';
import { usePhone } from '../table/usePhone';
import { useSelection } from '../table/useSelection';
import { useListState } from '../useListState';
import { useRange } from '../useRange';
import { FilterBar } from './FilterBar';
import { filterNames, rangeOf } from './filters';
import type { Resource } from './resource';
import classes from './resource.module.css';
import type DrawForm from './ResourceForm';
import type { Editing } from './ResourceForm';
import { SelectionBar } from './SelectionBar';
import { Tools } from './Tools';
import { useRowFromAddress } from './useRowFromAddress';
import { useRemove } from './useRemove';
import { useMayEdit, useRowColumns } from './useRowColumns';
import { useRows } from './useRows';

/** Loaded when it is first wanted. lazy() knows no type parameters. */
const ResourceForm = lazy(() => import('./ResourceForm')) as unknown as typeof DrawForm;
const NO_FILTERS: readonly never[] = [];
/** More filters than these stand in a line of their own. */
const FILTERS_BESIDE_TITLE = 3;

/** A list with its filters, table, form, deletion and export, from one description. */
export function ResourcePage<Row, Values extends Record<string, unknown> = Record<string, unknown>>({
  resource,
}: {
  resource: Resource<Row, Values>;
}): ReactElement {
  const { name, title, queryKey, form, remove, bulk, filters = NO_FILTERS, unpaged = false, rowId } = resource;
  const { t } = useTranslation();
  const names = useMemo(() => filterNames(filters), [filters]);
  const sorts = useMemo(() => resource.columns.flatMap((column) => column.sort ?? []), [resource.columns]);
  const list = useListState({ filters: names, sorts, sort: resource.sort ?? null });
  const range = useRange(rangeOf(filters) ?? 'past7Days', ['page']);
  const { rows, total, query, request } = useRows(resource, list, range.span);
  const phone = usePhone();
  const [editing, setEditing] = useState<Editing<Row> | null>(null);
  const selection = useSelection();
  const [askRemove, dialog] = useRemove(remove, queryKey);
  const columns = useRowColumns(resource, setEditing, askRemove);
  const columnState = useColumns(name, columns);
  const edit = useMayEdit(form);
  const mayRemove = usePerm(remove?.may) && remove !== undefined;
  const lines = (wanted: readonly Row[]): string => {
    const copied = columnState.visible.filter((column) => column.text !== undefined);
    return csvText([
      copied.map((column) => column.title),
      ...wanted.map((row) => copied.map((column) => textOf(column, row))),
    ]);
  };
  const copy = async (wanted: readonly Row[]): Promise<void> => {
    if (await copyText(lines(wanted))) showSuccess(t('base:copy.done'));
    else showNotice(t('base:copy.failed'));
  };
  // The same function as long as nothing of it changes: rows are drawn anew for another one.
  const onOpen = useMemo(() => {
    const toEdit = (row: Row): void => void (edit.whyNot(row) === '' && setEditing({ mode: 'edit', row }));
    return resource.onOpen ?? (edit.isOffered ? toEdit : undefined);
  }, [resource.onOpen, edit]);
  useRowFromAddress(rows, rowId, onOpen);
  const filterBar = <FilterBar filters={filters} list={list} range={range} />;
  const ofTable = (
    <>
      <Tools
        resource={resource}
        request={request}
        onCopy={() => void copy(rows)}
        onSave={() => saveText(datedName(title, 'csv'), 'text/csv;charset=utf-8', `\ufeff${lines(rows)}`)}
      />
      {phone ? null : <ColumnMenu columns={columnState} />}
    </>
  );
  const filtersBelow = !phone && filters.length > FILTERS_BESIDE_TITLE;
  return (
    <section className={classes.panel}>
      <div className={classes.bar}>
        <h1>{title}</h1>
        {phone || filtersBelow ? null : filterBar}
        {resource.tools}
        {phone || filtersBelow ? null : ofTable}
        {form?.create === undefined ? null : (
          <PermButton
            asks={form.mayCreate}
            leftSection={<IconPlus size={16} />}
            onClick={() => setEditing({ mode: 'create', row: null })}
            data-testid={`${name}-create`}
          >
            {form.words.create}
          </PermButton>
        )}
        {phone ? ofTable : null}
        {phone ? filterBar : null}
        {filtersBelow ? (
          <div className={classes.filterLine}>
            {filterBar}
            <span className={classes.ofTable}>{ofTable}</span>
          </div>
        ) : null}
      </div>
      <DataTable
        name={name}
        label={title}
        columns={columns}
        rows={rows}
        rowId={rowId}
        query={query}
        total={total}
        before={unpaged ? 0 : (list.page - 1) * list.limit}
        sort={list.sort}
        onSort={list.setSort}
        filtered={list.isFiltered}
        onClear={list.clear}
        virtual={unpaged}
        selection={bulk === undefined ? undefined : selection}
        onOpen={onOpen}
        onDelete={mayRemove ? (row) => void ((remove.whyNot?.(row) ?? '') === '' && askRemove(row)) : undefined}
        empty={resource.empty}
      />
      {bulk === undefined ? null : (
        <SelectionBar
          selection={selection}
          rows={rows.filter((row) => selection.ids.has(rowId(row)))}
          actions={bulk}
          queryKey={queryKey}
          onCopy={() => void copy(rows.filter((row) => selection.ids.has(rowId(row))))}
        />
      )}
      {total === 0 || query.isPending ? null : unpaged ? (
        <div className={classes.foot} data-testid="list-total">
          {t('base:table.total', { count: total })}
        </div>
      ) : (
        <Paging pages={list} total={total} />
      )}
      {editing === null || form === undefined ? null : (
        <Suspense fallback={null}>
          <ResourceForm shape={form} editing={editing} queryKey={queryKey} onClose={() => setEditing(null)} />
        </Suspense>
      )}
      {dialog}
    </section>
  );
}
