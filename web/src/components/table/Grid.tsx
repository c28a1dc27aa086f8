import { useMemo, useRef, useState } from 'react';
import type { ReactElement, ReactNode, RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import type { Sort } from '@/lib/listState';
import { BodyRow } from './BodyRow';
import type { Column, RowData, RowId } from './columns';
import { HeadCell } from './HeadCell';
import classes from './table.module.css';
import type { Columns } from './useColumns';
import { useRowKeys } from './useRowKeys';
import type { Selecting } from './useSelecting';

const VIRTUAL_COLUMN_PX = 140;
const MARK_PX = 36;

export interface RowsProps<Row> {
  name: string;
  label: string;
  rows: readonly Row[];
  rowId: (row: Row) => RowId;
  rowData: RowData<Row> | undefined;
  columns: Columns<Row>;
  /** Rows of the whole list, and how many stand before the loaded ones. */
  total: number;
  before: number;
  sort: Sort | null;
  onSort: ((sort: Sort | null) => void) | undefined;
  selecting: Selecting | null;
  onOpen: ((row: Row) => void) | null;
  onDelete: ((row: Row) => void) | null;
  /** Pixels of the frame, of a table that scrolls in itself. */
  height: number | string | undefined;
}

/** All rows in the page. */
export function PlainGrid<Row>(props: RowsProps<Row>): ReactElement {
  const frame = useRef<HTMLDivElement>(null);
  const keys = useKeys(props, frame, () => undefined);
  return (
    <Frame {...props} frame={frame} keys={keys} fixed={false}>
      {props.rows.map((row, index) => (
        <Line key={props.rowId(row)} {...props} row={row} index={index} active={keys.active} />
      ))}
    </Frame>
  );
}

/** Keys of the rows of a table. */
export function useKeys<Row>(
  props: RowsProps<Row>,
  frame: RefObject<HTMLElement | null>,
  reveal: (index: number) => void,
): ReturnType<typeof useRowKeys> {
  const { rows, onOpen, onDelete, selecting } = props;
  const on = (work: ((row: Row) => void) | null) => {
    if (work === null) return null;
    return (index: number): void => {
      const row = rows[index];
      if (row !== undefined) work(row);
    };
  };
  return useRowKeys({
    rows: rows.length,
    frame,
    reveal,
    onOpen: on(onOpen),
    onDelete: on(onDelete),
    onSelect: selecting === null ? null : (index) => selecting.toggle(index, false),
  });
}

interface LineProps<Row> extends RowsProps<Row> {
  row: Row;
  index: number;
  active: number;
  rowPx?: number;
}

export function Line<Row>({
  name,
  row,
  rowId,
  rowData,
  columns,
  before,
  selecting,
  onOpen,
  index,
  active,
  rowPx,
}: LineProps<Row>): ReactElement {
  return (
    <BodyRow
      row={row}
      rowData={rowData}
      columns={columns.visible}
      index={index}
      rowIndex={before + index + 2}
      selected={selecting === null ? null : selecting.ids.has(rowId(row))}
      focusable={index === active}
      name={name}
      height={rowPx}
      onSelect={selecting?.toggle ?? nothing}
      onOpen={onOpen}
    />
  );
}

const nothing = (): void => undefined;

interface FrameProps<Row> extends RowsProps<Row> {
  frame: RefObject<HTMLDivElement | null>;
  keys: ReturnType<typeof useRowKeys>;
  fixed: boolean;
  children: ReactNode;
}

/** The table around its rows. */
export function Frame<Row>({
  name,
  label,
  columns,
  total,
  sort,
  onSort,
  selecting,
  height,
  frame,
  keys,
  fixed,
  children,
}: FrameProps<Row>): ReactElement {
  const [tried, setTried] = useState<Readonly<Record<string, number>> | null>(null);
  const widths = useWidths(columns, tried, fixed);
  const onWidth = (id: string, px: number, done: boolean): void => {
    const next = { ...(tried ?? measured(frame.current)), [id]: px };
    if (!done) return setTried(next);
    setTried(null);
    columns.setWidths(next);
  };
  return (
    <div
      ref={frame}
      className={classes.frame}
      role="presentation"
      style={height === undefined ? undefined : { maxHeight: height }}
      data-fixed={widths !== null || undefined}
      onKeyDown={keys.onKeyDown}
      onFocus={(event) => {
        const at = (event.target as HTMLElement).dataset.index;
        if (at !== undefined) keys.setActive(Number(at));
      }}
    >
      <table
        className={classes.table}
        style={
          widths === null
            ? undefined
            : { tableLayout: 'fixed', width: sum(widths, columns.visible, selecting !== null) }
        }
        aria-label={label}
        aria-rowcount={total + 1}
        data-testid={`${name}-table`}
      >
        <colgroup>
          {selecting === null ? null : <col style={{ width: MARK_PX }} />}
          {columns.visible.map((column) => (
            <col key={column.id} style={{ width: widths?.[column.id] ?? column.width }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {selecting === null ? null : <MarkAll selecting={selecting} />}
            {columns.visible.map((column) => (
              <HeadCell
                key={column.id}
                column={column}
                sort={sort}
                onSort={onSort}
                width={widths?.[column.id] ?? column.width}
                onWidth={onWidth}
              />
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function MarkAll({ selecting }: { selecting: Selecting }): ReactElement {
  const { t } = useTranslation();
  return (
    <th scope="col" className={classes.mark}>
      <input
        type="checkbox"
        ref={(box) => {
          if (box !== null) box.indeterminate = selecting.state === 'some';
        }}
        checked={selecting.state === 'all'}
        onChange={selecting.toggleAll}
        aria-label={t('base:table.selectAll')}
        data-testid="table-select-all"
      />
    </th>
  );
}

/** Pixels of every shown column; null while the browser may choose them. */
function useWidths<Row>(
  columns: Columns<Row>,
  tried: Readonly<Record<string, number>> | null,
  fixed: boolean,
): Readonly<Record<string, number>> | null {
  return useMemo(() => {
    const chosen = tried ?? columns.choice.widths;
    if (!fixed && Object.keys(chosen).length === 0) return null;
    return Object.fromEntries(
      columns.visible.map((column) => [column.id, chosen[column.id] ?? column.width ?? VIRTUAL_COLUMN_PX]),
    );
  }, [columns, tried, fixed]);
}

function measured(frame: HTMLElement | null): Record<string, number> {
  const heads = frame?.querySelectorAll<HTMLElement>('th[data-column]') ?? [];
  return Object.fromEntries([...heads].map((head) => [head.dataset.column ?? '', head.getBoundingClientRect().width]));
}

/** The table is at least as wide as its frame: min-width is in the sheet. */
function sum<Row>(widths: Readonly<Record<string, number>>, columns: readonly Column<Row>[], marked: boolean): number {
  return columns.reduce((width, column) => width + (widths[column.id] ?? VIRTUAL_COLUMN_PX), marked ? MARK_PX : 0);
}
