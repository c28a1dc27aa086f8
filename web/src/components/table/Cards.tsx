import { memo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { isOwnClick } from './BodyRow';
import { ACTIONS } from './columns';
import type { Column, RowData } from './columns';
import type { RowsProps } from './Grid';
import classes from './table.module.css';

/** The rows of a table as cards, for phones: name, mark, three facts, and what needs the whole width. */
export function PlainCards<Row>(props: RowsProps<Row>): ReactElement {
  return (
    <ul className={classes.cards} aria-label={props.label} data-testid={`${props.name}-cards`}>
      {props.rows.map((row, index) => (
        <Item key={props.rowId(row)} {...props} row={row} index={index} />
      ))}
    </ul>
  );
}

interface ItemProps<Row> extends RowsProps<Row> {
  row: Row;
  index: number;
  gap?: number;
  cardPx?: number;
}

export function Item<Row>({
  name,
  row,
  rowId,
  rowData,
  columns,
  selecting,
  onOpen,
  index,
  total,
  before,
  gap = 0,
  cardPx,
}: ItemProps<Row>): ReactElement {
  return (
    <Card
      row={row}
      rowData={rowData}
      columns={columns.all}
      place={before + index + 1}
      total={total}
      index={index}
      selected={selecting === null ? null : selecting.ids.has(rowId(row))}
      onSelect={selecting?.toggle ?? nothing}
      onOpen={onOpen}
      name={name}
      gap={gap}
      height={cardPx}
    />
  );
}

const nothing = (): void => undefined;
const MAX_FACTS = 3;

interface CardProps<Row> {
  row: Row;
  rowData: RowData<Row> | undefined;
  columns: readonly Column<Row>[];
  place: number;
  total: number;
  index: number;
  selected: boolean | null;
  onSelect: (index: number, range: boolean) => void;
  onOpen: ((row: Row) => void) | null;
  name: string;
  gap: number;
  height: number | undefined;
}

function PlainCard<Row>({
  row,
  rowData,
  columns,
  place,
  total,
  index,
  selected,
  onSelect,
  onOpen,
  name,
  gap,
  height,
}: CardProps<Row>): ReactElement {
  const { t } = useTranslation();
  const of = (role: Column<Row>['card']): readonly Column<Row>[] => columns.filter((column) => column.card === role);
  const [title] = of('title');
  const actions = columns.find((column) => column.id === ACTIONS);
  return (
    // As the rows of the table: a way in beside the card's own links and buttons.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <li
      {...rowData?.(row)}
      className={classes.card}
      style={{ marginTop: gap, height }}
      aria-posinset={place}
      aria-setsize={total}
      tabIndex={onOpen === null ? undefined : 0}
      onClick={onOpen === null ? undefined : (event) => isOwnClick(event) && onOpen(row)}
      onKeyDown={
        onOpen === null
          ? undefined
          : (event) => event.key === 'Enter' && event.target === event.currentTarget && onOpen(row)
      }
      data-testid={`${name}-row`}
    >
      <div className={classes.cardLine}>
        <span className={classes.cardTitle}>
          {selected === null ? null : (
            <input
              type="checkbox"
              checked={selected}
              onChange={() => onSelect(index, false)}
              aria-label={t('base:table.selectRow', { row: place })}
            />
          )}
          {title?.cell(row)}
        </span>
        <span>
          {of('mark').map((column) => (
            <span key={column.id}>{column.cell(row)}</span>
          ))}
        </span>
      </div>
      <dl className={classes.cardFacts}>
        {of('fact')
          .slice(0, MAX_FACTS)
          .map((column) => (
            <div key={column.id}>
              <dt>{column.title}</dt>
              <dd>{column.cell(row)}</dd>
            </div>
          ))}
        {of('line').map((column) => (
          <div key={column.id} className={classes.cardWide}>
            <dt>{column.title}</dt>
            <dd>{column.cell(row)}</dd>
          </div>
        ))}
      </dl>
      {actions === undefined ? null : <div className={classes.cardActions}>{actions.cell(row)}</div>}
    </li>
  );
}

const Card = memo(PlainCard) as typeof PlainCard;
