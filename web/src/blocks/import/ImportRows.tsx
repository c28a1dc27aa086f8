import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Paging } from '@/components/Paging';
import type { Column } from '@/components/table/columns';
import { DataTable, DIALOG_TABLE_PX } from '@/components/table/DataTable';
import { ToneText } from '@/components/Tone';
import type { ImportEndpoints, ImportRow, ImportState } from './endpoints';
import type { RowKind, SheetKind } from './mapping';
import classes from './import.module.css';
import { faultText } from './faultText';
import { fieldTitle, rowName, valueText } from './mapping';

interface Props {
  id: string;
  kind: RowKind | '';
  sheet: SheetKind | '';
  columns: ImportState['columns'];
  endpoints: ImportEndpoints;
  /** Said when there is no row. */
  nothing: string;
}

type Placed = ImportRow & { place: number };

const NONE: readonly Placed[] = [];
const TONES = { added: 'ok', changed: 'off', removed: 'warn', wrong: 'bad' } as const;

/** Rows of a preview, page by page: what each cell was, what it will be, or what is wrong with it. */
export function ImportRows({ id, kind, sheet, columns, endpoints, nothing }: Props): ReactElement {
  const { t } = useTranslation();
  const [page, setPage] = useState(1);
  const [limit, setLimit] = useState(50);
  const query = useQuery({
    queryKey: ['import', id, 'rows', { kind, sheet, page, limit }],
    queryFn: ({ signal }) => endpoints.rows(id, { kind, sheet, page, limit }, signal),
    placeholderData: (before) => before,
    gcTime: 0,
  });
  const rows = useMemo<readonly Placed[]>(
    () => query.data?.rows.map((row, at) => ({ ...row, place: (page - 1) * limit + at })) ?? NONE,
    [query.data, page, limit],
  );
  const columnState = useColumns(columns);
  return (
    <>
      <DataTable
        name="import"
        label={t('base:import.step.preview')}
        columns={columnState}
        rows={rows}
        rowId={(row) => row.place}
        query={query}
        total={query.data?.total ?? 0}
        before={(page - 1) * limit}
        height={DIALOG_TABLE_PX}
        empty={{ title: nothing, text: '' }}
      />
      <Paging
        pages={{ page, limit, setPage, setLimit }}
        total={query.data?.total ?? 0}
        label={t('base:import.paging')}
      />
    </>
  );
}

function useColumns(columns: ImportState['columns']): readonly Column<Placed>[] {
  const { t, i18n } = useTranslation();
  return useMemo<readonly Column<Placed>[]>(
    () => [
      {
        id: 'name',
        title: t('base:import.row'),
        cell: (row) => rowName(row),
        text: rowName,
        fixed: true,
        card: 'title',
        width: 260,
      },
      {
        id: 'kind',
        title: t('base:import.what'),
        cell: (row) => <ToneText tone={TONES[row.kind]}>{t(`base:import.kind.${row.kind}`)}</ToneText>,
        text: (row) => t(`base:import.kind.${row.kind}`),
        card: 'mark',
        width: 90,
      },
      {
        id: 'place',
        title: t('base:import.place'),
        cell: (row) =>
          row.by_template
            ? t('base:import.byTemplate.place')
            : row.number === 0
              ? '—'
              : `${t(`base:import.sheet.${row.sheet}`)} ${row.number}`,
        text: (row) => (row.by_template ? t('base:import.byTemplate.place') : String(row.number)),
        width: 110,
      },
      {
        id: 'cells',
        title: t('base:import.cells'),
        cell: (row) => (
          <Cells
            row={row}
            named={
              new Map((columns[row.sheet] ?? []).map((column) => [column.field, fieldTitle(column, i18n.language)]))
            }
          />
        ),
        text: (row) =>
          row.cells
            .map(
              (cell) => `${cell.field}: ${valueText(cell.before, cell.field)} → ${valueText(cell.after, cell.field)}`,
            )
            .join('; '),
        card: 'fact',
        width: 460,
      },
    ],
    [t, i18n.language, columns],
  );
}

function Cells({ row, named }: { row: ImportRow; named: ReadonlyMap<string, string> }): ReactElement {
  return (
    <ul className={classes.cells}>
      {row.cells.map((cell) => {
        return (
          <li key={cell.field} data-fault={cell.code !== '' || undefined}>
            <span className={classes.field}>{named.get(cell.field) ?? cell.field}</span>
            {row.kind === 'added' || cell.before === null || cell.before === '' ? null : (
              <del>{valueText(cell.before, cell.field)}</del>
            )}
            {cell.after === null && cell.code !== '' ? null : <ins>{valueText(cell.after, cell.field)}</ins>}
            {cell.code === '' ? null : (
              <Text span size="sm" c="red">
                {faultText(cell.code, cell.arguments)}
              </Text>
            )}
          </li>
        );
      })}
    </ul>
  );
}
