import { IconArrowDown, IconArrowUp, IconArrowsSort } from '@tabler/icons-react';
import type { KeyboardEvent, PointerEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { MAX_COLUMN_PX, MIN_COLUMN_PX } from '@/lib/columnChoice';
import { nextSort } from '@/lib/listState';
import type { Sort } from '@/lib/listState';
import { ACTIONS } from './columns';
import type { Column } from './columns';
import classes from './table.module.css';

const KEY_STEP_PX = 16;

interface Props<Row> {
  column: Column<Row>;
  sort: Sort | null;
  onSort: ((sort: Sort | null) => void) | undefined;
  width: number | undefined;
  /** A width that is tried (done false) or chosen (done true). */
  onWidth: (id: string, px: number, done: boolean) => void;
}

export function HeadCell<Row>({ column, sort, onSort, width, onWidth }: Props<Row>): ReactElement {
  const by = column.sort;
  const own = by !== undefined && sort?.by === by ? sort : null;
  const order = own === null ? 'none' : own.descending ? 'descending' : 'ascending';
  return (
    <th
      scope="col"
      className={
        `${column.align === 'right' ? classes.right : ''} ${column.id === ACTIONS ? classes.stays : ''}`.trim() ||
        undefined
      }
      aria-sort={by === undefined || onSort === undefined ? undefined : order}
      aria-label={column.title}
      data-column={column.id}
    >
      {by === undefined || onSort === undefined ? (
        column.title
      ) : (
        <button type="button" className={classes.sort} data-order={order} onClick={() => onSort(nextSort(sort, by))}>
          {column.title}
          <SortMark order={order} />
        </button>
      )}
      <Resizer title={column.title} width={width} onWidth={(px, done) => onWidth(column.id, px, done)} />
    </th>
  );
}

function SortMark({ order }: { order: 'none' | 'ascending' | 'descending' }): ReactElement {
  const Icon = order === 'none' ? IconArrowsSort : order === 'ascending' ? IconArrowUp : IconArrowDown;
  return <Icon size={13} stroke={1.8} aria-hidden />;
}

interface ResizerProps {
  title: string;
  width: number | undefined;
  onWidth: (px: number, done: boolean) => void;
}

/** The right edge of a header: dragged, or moved with the arrow keys. */
export function Resizer({ title, width, onWidth }: ResizerProps): ReactElement {
  const { t } = useTranslation();
  const onPointerDown = (event: PointerEvent<HTMLSpanElement>): void => {
    if (event.button !== 0) return;
    event.preventDefault();
    const edge = event.currentTarget;
    const [from, before] = [event.clientX, edge.parentElement?.getBoundingClientRect().width ?? MIN_COLUMN_PX];
    edge.setPointerCapture(event.pointerId);
    const follow = (move: globalThis.PointerEvent): void => onWidth(before + move.clientX - from, false);
    const end = (last: globalThis.PointerEvent): void => {
      edge.removeEventListener('pointermove', follow);
      if (last.clientX !== from) onWidth(before + last.clientX - from, true);
    };
    edge.addEventListener('pointermove', follow);
    edge.addEventListener('lostpointercapture', end as EventListener, { once: true });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLSpanElement>): void => {
    const step = { ArrowLeft: -KEY_STEP_PX, ArrowRight: KEY_STEP_PX }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onWidth((event.currentTarget.parentElement?.getBoundingClientRect().width ?? MIN_COLUMN_PX) + step, true);
  };
  return (
    <span
      className={classes.edge}
      role="separator"
      aria-orientation="vertical"
      aria-label={t('base:table.width', { title })}
      aria-valuenow={Math.round(width ?? MIN_COLUMN_PX)}
      aria-valuemin={MIN_COLUMN_PX}
      aria-valuemax={MAX_COLUMN_PX}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
    />
  );
}
