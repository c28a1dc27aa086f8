import { memo } from 'react';
import type { ReactElement } from 'react';
import { Resizer } from '../table/HeadCell';
import { HEAD_PX, ROW_HEAD_PX } from './layout';
import type { Layout } from './layout';
import classes from './sheet.module.css';
import type { Column } from './types';

interface Props<Row> {
  columns: readonly Column<Row>[];
  layout: Layout;
  first: number;
  last: number;
  /** What the head of the rows is called. */
  corner: string;
  onWidth: (key: string, px: number) => void;
}

function Head<Row>({ columns, layout, first, last, corner, onWidth }: Props<Row>): ReactElement {
  const gapPx = (layout.lefts[first] ?? layout.totalPx) - layout.frozenPx;
  const head = (column: Column<Row>, at: number): ReactElement => (
    <div
      key={column.key}
      role="columnheader"
      aria-colindex={at + 2}
      className={at < layout.frozen ? classes.frozenHead : classes.head}
      style={
        at < layout.frozen
          ? { width: layout.widths[at], left: ROW_HEAD_PX + (layout.lefts[at] ?? 0) }
          : { width: layout.widths[at] }
      }
      title={column.hint === undefined ? column.title : `${column.title}: ${column.hint}`}
      data-head={at}
      data-align={column.align ?? (column.kind === 'number' ? 'right' : undefined)}
    >
      {column.title}
      <Resizer title={column.title} width={layout.widths[at]} onWidth={(px) => onWidth(column.key, px)} />
    </div>
  );
  return (
    <div role="rowgroup" className={classes.heads} style={{ height: HEAD_PX }}>
      <div role="row" aria-rowindex={1} className={classes.headRow}>
        <div role="columnheader" aria-colindex={1} className={classes.corner} title={corner}>
          #
        </div>
        {columns.slice(0, layout.frozen).map(head)}
        {first > layout.frozen && gapPx > 0 ? (
          <div className={classes.gap} style={{ width: gapPx }} role="presentation" />
        ) : null}
        {columns.slice(first, last + 1).map((column, at) => head(column, first + at))}
      </div>
    </div>
  );
}

export const SheetHead = memo(Head) as typeof Head;
