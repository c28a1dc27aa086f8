import { Fragment, useLayoutEffect, useRef } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { usePreferences } from '@/lib/preferences';
import type { Size } from '@/lib/preferences';
import { Item } from './Cards';
import { Frame, Line, useKeys } from './Grid';
import type { RowsProps } from './Grid';
import classes from './table.module.css';
import { useRowKeys } from './useRowKeys';
import { useRowWindow } from './useRowWindow';

/** As --row-height in the sheet. */
const ROW_PX: Readonly<Record<Size, number>> = { medium: 40, small: 34, mini: 30 };
const CARD_PX = 132;

/** Only the rows in view are in the page. Loaded by the tables that want it. */
export default function Virtual<Row>({ phone, ...props }: RowsProps<Row> & { phone: boolean }): ReactElement {
  return phone ? <VirtualCards {...props} /> : <VirtualGrid {...props} />;
}

function VirtualGrid<Row>(props: RowsProps<Row>): ReactElement {
  const frame = useRef<HTMLDivElement>(null);
  const reveal = useRef<(index: number) => void>(() => undefined);
  const keys = useKeys(props, frame, (index) => reveal.current(index));
  const rowPx = ROW_PX[usePreferences((state) => state.size)];
  const view = useRowWindow(props.rows.length, rowPx, frame, keys.active);
  useLayoutEffect(() => {
    reveal.current = view.reveal;
  });
  return (
    <Frame {...props} frame={frame} keys={keys} fixed>
      {view.indexes.map((index, place) => {
        const row = props.rows[index];
        if (row === undefined) return null;
        return (
          <Fragment key={props.rowId(row)}>
            <Gap px={view.gapBefore(place)} />
            <Line {...props} row={row} index={index} active={keys.active} rowPx={rowPx} />
          </Fragment>
        );
      })}
      <Gap px={view.gapAfter} />
    </Frame>
  );
}

function Gap({ px }: { px: number }): ReactNode {
  return px <= 0 ? null : (
    <tr aria-hidden className={classes.gap}>
      <td style={{ height: px }} />
    </tr>
  );
}

function VirtualCards<Row>(props: RowsProps<Row>): ReactElement {
  const frame = useRef<HTMLDivElement>(null);
  const keys = useRowKeys({
    rows: props.rows.length,
    frame,
    reveal: () => undefined,
    onOpen: null,
    onSelect: null,
    onDelete: null,
  });
  const view = useRowWindow(props.rows.length, CARD_PX, frame, keys.active);
  return (
    <div
      ref={frame}
      className={classes.frame}
      style={{ maxHeight: props.height }}
      tabIndex={0}
      role="group"
      aria-label={props.label}
    >
      <ul className={classes.cards} data-testid={`${props.name}-cards`}>
        {view.indexes.map((index, place) => {
          const row = props.rows[index];
          if (row === undefined) return null;
          return (
            <Item
              key={props.rowId(row)}
              {...props}
              row={row}
              index={index}
              gap={view.gapBefore(place)}
              cardPx={CARD_PX}
            />
          );
        })}
        <li aria-hidden style={{ height: view.gapAfter }} className={classes.gap} />
      </ul>
    </div>
  );
}
