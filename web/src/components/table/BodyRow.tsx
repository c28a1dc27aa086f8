import { memo } from 'react';
import type { MouseEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ACTIONS } from './columns';
import type { Column, RowData } from './columns';
import classes from './table.module.css';

interface Props<Row> {
  row: Row;
  rowData: RowData<Row> | undefined;
  columns: readonly Column<Row>[];
  /** Place in the loaded rows. */
  index: number;
  /** Place in the whole table, its header being 1. */
  rowIndex: number;
  /** Null when rows cannot be selected. */
  selected: boolean | null;
  /** Reached by Tab; the others by the arrow keys. */
  focusable: boolean;
  name: string;
  height: number | undefined;
  onSelect: (index: number, range: boolean) => void;
  onOpen: ((row: Row) => void) | null;
}

/** Was the click on something of its own, or in a layer above the table? */
export function isOwnClick(event: MouseEvent): boolean {
  const target = event.target as Element;
  return (
    event.currentTarget.contains(target) &&
    target.closest('a,button,input,label,select,[role="button"],[role="dialog"]') === null
  );
}

function cellClass<T>({ id, align }: Column<T>): string | undefined {
  const side = align === 'right' ? `${classes.right} number` : undefined;
  return id === ACTIONS ? `${classes.stays} ${side ?? ''}` : side;
}

function Row<T>({
  row,
  rowData,
  columns,
  index,
  rowIndex,
  selected,
  focusable,
  name,
  height,
  onSelect,
  onOpen,
}: Props<T>): ReactElement {
  const { t } = useTranslation();
  return (
    <tr
      {...rowData?.(row)}
      aria-rowindex={rowIndex}
      tabIndex={focusable ? 0 : -1}
      className={onOpen === null ? undefined : classes.opens}
      style={height === undefined ? undefined : { height }}
      onClick={onOpen === null ? undefined : (event) => isOwnClick(event) && onOpen(row)}
      data-index={index}
      data-selected={selected === true || undefined}
      data-testid={`${name}-row`}
    >
      {selected === null ? null : (
        <td className={classes.mark}>
          <input
            type="checkbox"
            tabIndex={-1}
            checked={selected}
            onChange={(event) => onSelect(index, (event.nativeEvent as globalThis.MouseEvent).shiftKey)}
            aria-label={t('base:table.selectRow', { row: rowIndex - 1 })}
          />
        </td>
      )}
      {columns.map((column) => {
        const className = cellClass(column);
        return column.fixed === true ? (
          <th key={column.id} scope="row" className={className}>
            {column.cell(row)}
          </th>
        ) : (
          <td key={column.id} className={className}>
            {column.cell(row)}
          </td>
        );
      })}
    </tr>
  );
}

export const BodyRow = memo(Row) as typeof Row;
