import { useRef, useState } from 'react';
import type { MouseEvent, PointerEvent, RefObject } from 'react';
import { columnsOf, one, rowsOf, span, all } from './model/selection';
import type { Selection, Place } from './model/selection';
import { mayAddTo } from './types';
import type { SheetProps } from './types';
import type { Editing } from './useEditing';
import type { Sheet } from './useSheet';
import type { SheetView } from './useSheetView';

export interface Pointing {
  isTouch: boolean;
  /** The last line that the handle of the block is pulled to. */
  pulledTo: number | null;
  /** Anywhere on the sheet: by what it is pointed at. */
  onPointerDownCapture: (event: PointerEvent<HTMLElement>) => void;
  onPointerDown: (event: PointerEvent<HTMLElement>) => void;
  onMouseDown: (event: MouseEvent<HTMLElement>) => void;
  onClick: (event: MouseEvent<HTMLElement>) => void;
  onDoubleClick: (event: MouseEvent<HTMLElement>) => void;
  onPull: (event: PointerEvent<HTMLElement>) => void;
}

/** The mouse selects by dragging; a finger by tapping, because dragging scrolls, and by pulling the block's handle. */
export function usePointing<Row>(
  props: SheetProps<Row>,
  sheet: Sheet<Row>,
  view: SheetView,
  editing: Editing,
  input: RefObject<HTMLInputElement | null>,
): Pointing {
  const [isTouch, setTouch] = useState(false);
  const [pulledTo, setPulledTo] = useState<number | null>(null);
  const tapped = useRef<Place | null>(null);

  const isBelow = ({ row }: Place): boolean => row >= props.rows.length;
  // The pointer takes no focus from the field, so that leaving it does not end editing.
  const settle = (): void => {
    const field = input.current;
    if (
      editing.start !== null &&
      field !== null &&
      document.activeElement === field &&
      !editing.finish(field.value, null)
    )
      editing.cancel();
  };
  const take = (place: Place, extend: boolean): void => {
    settle();
    const { size } = sheet;
    if (isBelow(place)) {
      // A block that is pasted far below means no column.
      const isFar = place.row > props.rows.length || place.column < 0;
      if (mayAddTo(props))
        sheet.selectBelow(isFar ? props.columns.findIndex(({ write }) => write !== undefined) : place.column);
    } else if (size.rows > 0) sheet.select((known) => chosen(known, place, extend, size));
    input.current?.focus({ preventScroll: true });
  };
  const follow = (
    event: PointerEvent<HTMLElement>,
    onMove: (place: Place) => void,
    onEnd: (place: Place, last: globalThis.PointerEvent) => void,
  ): void => {
    const target = event.currentTarget;
    target.setPointerCapture(event.pointerId);
    let at = view.placeAt(event);
    const move = (next: globalThis.PointerEvent): void => {
      const place = view.placeAt(next);
      if (place.row === at.row && place.column === at.column) return;
      at = place;
      view.reveal(place);
      onMove(place);
    };
    target.addEventListener('pointermove', move);
    const end = (last: globalThis.PointerEvent): void => {
      target.removeEventListener('pointermove', move);
      onEnd(at, last);
    };
    target.addEventListener('lostpointercapture', end as EventListener, { once: true });
  };

  const onPointerDown = (event: PointerEvent<HTMLElement>): void => {
    if (event.button !== 0 || isOwn(event)) return;
    const place = view.placeAt(event);
    tapped.current = place;
    if (event.pointerType === 'touch') return;
    take(place, event.shiftKey);
    if (isBelow(place) || (place.row < 0 && place.column < 0)) return;
    follow(
      event,
      (next) => sheet.select((known) => dragged(known, place, next, sheet.size)),
      () => undefined,
    );
  };
  const onClick = (event: MouseEvent<HTMLElement>): void => {
    const place = tapped.current;
    if (place === null || isOwn(event)) return;
    if (isTouch) {
      const { active } = sheet.selection;
      const isAgain =
        document.activeElement === input.current && place.row === active.row && place.column === active.column;
      take(place, event.shiftKey);
      if (isAgain) editing.begin('kept');
    }
    const column = props.columns[place.column];
    const row = props.rows[place.row];
    const isTick =
      event.target instanceof Element &&
      document.elementFromPoint(event.clientX, event.clientY)?.closest('[data-tick]') !== null;
    if (isTick && column?.kind === 'switch' && row !== undefined && !event.shiftKey && props.onChange !== undefined) {
      sheet.enter(column.read(row) === '1' ? '0' : '1', false);
    }
  };
  const onPull = (event: PointerEvent<HTMLElement>): void => {
    event.preventDefault();
    event.stopPropagation();
    settle();
    if (event.pointerType === 'touch') {
      follow(
        event,
        (place) => sheet.select((known) => span(known.anchor, place)),
        () => undefined,
      );
      return;
    }
    follow(
      event,
      (place) => setPulledTo(place.row),
      (place, last) => {
        setPulledTo(null);
        sheet.pullDown(Math.min(place.row, props.rows.length - 1), last.ctrlKey);
      },
    );
  };
  return {
    isTouch,
    pulledTo,
    onPointerDownCapture: (event) => setTouch(event.pointerType === 'touch'),
    onPointerDown,
    onMouseDown: (event) => {
      if (!isOwn(event)) event.preventDefault();
    },
    onClick,
    onDoubleClick: (event) => {
      if (!isOwn(event) && (tapped.current?.row ?? -1) >= 0 && (tapped.current?.column ?? -1) >= 0)
        editing.begin('kept');
    },
    onPull,
  };
}

/** On something that takes the pointer itself: an open field, an edge, a button in a cell. */
function isOwn(event: MouseEvent): boolean {
  return event.target instanceof Element && event.target.closest('button,a,input,select,[role="separator"]') !== null;
}

function chosen(known: Selection, place: Place, extend: boolean, size: { rows: number; columns: number }): Selection {
  if (place.row < 0 && place.column < 0) return all(size);
  if (place.column < 0) return rowsOf(extend ? known.anchor.row : place.row, place.row, size);
  if (place.row < 0) return columnsOf(extend ? known.anchor.column : place.column, place.column, size);
  return extend ? span(known.anchor, place) : one(place);
}

function dragged(known: Selection, from: Place, to: Place, size: { rows: number; columns: number }): Selection {
  if (from.column < 0) return rowsOf(from.row, to.row, size);
  if (from.row < 0) return columnsOf(from.column, to.column, size);
  return span(known.anchor, to);
}
