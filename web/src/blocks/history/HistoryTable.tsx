import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { QUALITY } from '@/lib/quality';
import { formatDateTime } from '@/lib/time';
import { TrustMark } from '../live/TrustMark';
import type { DataSource } from './api';
import classes from './history.module.css';
import type { TableRow } from './series';

const ROW_PX = 33;

interface Props {
  rows: readonly TableRow[];
  sources: readonly DataSource[];
  bucketed: boolean;
}

/** All rows of the query; only those in view are in the page. */
export default function HistoryTable({ rows, sources, bucketed }: Props): ReactElement {
  const { t } = useTranslation();
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  return (
    <div
      ref={frame}
      className={classes.grid}
      role="table"
      aria-rowcount={rows.length + 1}
      aria-label={t('base:history.table')}
      tabIndex={0}
      data-testid="history-table"
    >
      <div className={classes.gridHead} role="rowgroup">
        <div role="row" aria-rowindex={1} style={{ display: 'flex', flex: 1 }}>
          <span className={classes.gridCell} role="columnheader">
            {t('base:history.time')}
          </span>
          {sources.map((source) => (
            <span key={source.dsid} className={classes.gridCell} role="columnheader">
              {source.ds_title} {source.unit === '' ? '' : `(${source.unit})`}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" style={{ position: 'relative', height: virtual.getTotalSize(), minWidth: 'max-content' }}>
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          return (
            <div
              key={row.t_ms}
              className={classes.gridRow}
              role="row"
              aria-rowindex={item.index + 2}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <Cells row={row} sources={sources} bucketed={bucketed} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Cells({
  row,
  sources,
  bucketed,
}: {
  row: TableRow;
  sources: readonly DataSource[];
  bucketed: boolean;
}): ReactElement {
  return (
    <>
      <span className={classes.gridCell} role="cell">
        {formatDateTime(row.t_ms, !bucketed)}
      </span>
      {sources.map((source, column) => {
        const cell = row.cells[column];
        return (
          <span key={source.dsid} className={classes.gridCell} role="cell">
            {cell?.text ?? ''}
            {typeof cell?.bad === 'number' ? <TrustMark state={QUALITY[cell.bad] ?? 'unknown'} /> : null}
            {(cell?.band ?? '') === '' ? null : <span className={classes.hint}> ({cell?.band})</span>}
          </span>
        );
      })}
    </>
  );
}
