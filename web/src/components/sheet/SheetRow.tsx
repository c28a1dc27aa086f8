import { memo } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { ROW_HEAD_PX, ROW_PX } from './layout';
import type { Layout } from './layout';
import { isFixed } from './model/change';
import { displayText } from './model/edits';
import classes from './sheet.module.css';
import type { CellFault, Column } from './types';

interface Props<Row> {
  name: string;
  row: Row;
  index: number;
  columns: readonly Column<Row>[];
  layout: Layout;
  /** Columns in view, beside the frozen ones. */
  first: number;
  last: number;
  faults: ReadonlyMap<string, CellFault> | undefined;
  rowHeader: ((row: Row, index: number) => ReactNode) | undefined;
  isReadOnly: boolean;
}

/** One line of a sheet: plain elements, drawn again only for another row, other columns in view or other faults. */
function Line<Row>({
  name,
  row,
  index,
  columns,
  layout,
  first,
  last,
  faults,
  rowHeader,
  isReadOnly,
}: Props<Row>): ReactElement {
  const gapPx = (layout.lefts[first] ?? layout.totalPx) - layout.frozenPx;
  const cell = (column: Column<Row>, at: number): ReactElement => (
    <Cell
      key={column.key}
      column={column}
      row={row}
      at={at}
      width={layout.widths[at] ?? 0}
      left={at < layout.frozen ? ROW_HEAD_PX + (layout.lefts[at] ?? 0) : null}
      fault={faults?.get(column.key)}
      isFixed={isReadOnly || isFixed(column, row)}
    />
  );
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={classes.row}
      style={{ top: index * ROW_PX }}
      data-row={index}
      data-testid={`${name}-row`}
    >
      <div role="rowheader" className={classes.rowHead} data-fault={worst(faults)}>
        {rowHeader === undefined ? index + 1 : rowHeader(row, index)}
      </div>
      {columns.slice(0, layout.frozen).map(cell)}
      {first > layout.frozen && gapPx > 0 ? (
        <div className={classes.gap} style={{ width: gapPx }} role="presentation" />
      ) : null}
      {columns.slice(first, last + 1).map((column, at) => cell(column, first + at))}
    </div>
  );
}

export const SheetRow = memo(Line) as typeof Line;

interface CellProps<Row> {
  column: Column<Row>;
  row: Row;
  at: number;
  width: number;
  /** Of a frozen cell. */
  left: number | null;
  fault: CellFault | undefined;
  isFixed: boolean;
}

function Cell<Row>({ column, row, at, width, left, fault, isFixed: fixed }: CellProps<Row>): ReactElement {
  const text = displayText(column, row);
  return (
    <div
      role="gridcell"
      aria-colindex={at + 2}
      aria-invalid={fault?.level === 'error' || undefined}
      className={left === null ? classes.cell : classes.frozenCell}
      style={left === null ? { width } : { width, left }}
      data-kind={column.kind}
      data-align={column.align ?? (column.kind === 'number' ? 'right' : undefined)}
      data-fault={fault?.level}
      data-fixed={fixed || undefined}
      title={fault?.text}
    >
      <Content column={column} row={row} text={text} />
    </div>
  );
}

function Content<Row>({ column, row, text }: { column: Column<Row>; row: Row; text: string }): ReactNode {
  if (column.kind === 'live') return column.cell?.(row) ?? text;
  if (column.kind === 'switch' && (text === '' || text === '0' || text === '1'))
    return (
      <span role="img" aria-label={text} className={classes.tick} data-tick="" data-on={text === '1' || undefined} />
    );
  if (column.kind === 'color' && text !== '') {
    return (
      <>
        <span className={classes.swatch} style={{ background: text }} />
        {text}
      </>
    );
  }
  if (text === '')
    return column.placeholder === undefined ? null : <span className={classes.placeholder}>{column.placeholder}</span>;
  return column.unit === undefined ? text : `${text} ${column.unit}`;
}

function worst(faults: ReadonlyMap<string, CellFault> | undefined): CellFault['level'] | undefined {
  if (faults === undefined || faults.size === 0) return undefined;
  const levels = new Set([...faults.values()].map(({ level }) => level));
  return (['error', 'warning', 'note'] as const).find((level) => levels.has(level));
}
