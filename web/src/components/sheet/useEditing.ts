import { useCallback, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { askOf } from './keys';
import type { Ask } from './keys';
import { ROW_PX } from './layout';
import { isClosed } from './model/change';
import { isFilled } from './model/edits';
import { advanced, all, columnsOf, isOne, jumped, moved, one, rowsOf, span } from './model/selection';
import type { Direction, Place } from './model/selection';
import { mayAddTo } from './types';
import type { SheetProps } from './types';
import type { Sheet } from './useSheet';
import type { SheetView } from './useSheetView';

/** How editing began: by typing over what was there, or inside of it. */
export type Start = 'typed' | 'kept';

export interface Editing {
  start: Start | null;
  /** Why the text is not taken. */
  fault: string | null;
  begin: (start: Start) => void;
  cancel: () => void;
  /** Take the text and go on; without a direction stay. False: it was not taken, and editing goes on. */
  finish: (text: string, on: Direction | null, all?: boolean) => boolean;
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

/** Keys and the one cell that is edited. */
export function useEditing<Row>(props: SheetProps<Row>, sheet: Sheet<Row>, view: SheetView): Editing {
  const { rows, columns, onChange } = props;
  const [start, setStart] = useState<Start | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isLeaving, setLeaving] = useState(false);
  const {
    selection: { active },
    size,
  } = sheet;
  const [row, column] = [rows[active.row], columns[active.column]];
  const isLocked = onChange === undefined || isClosed(column, row, mayAddTo(props));

  const stop = useCallback(() => {
    setStart(null);
    setFault(null);
  }, []);

  const go = (next: Parameters<Sheet<Row>['select']>[0]): void => sheet.select(next);
  const begin = (how: Start): void => {
    if (isLocked || column?.kind === 'switch') return;
    view.reveal(active);
    setStart(how);
  };
  const finish = (text: string, on: Direction | null, toAll = false): boolean => {
    const refused = sheet.enter(text, toAll);
    setFault(refused);
    if (refused !== null) return false;
    stop();
    // A row that was written below the last one is not among them yet, and one more may follow it.
    if (row === undefined) go(on === null ? one(active) : advanced(one(active), on, { ...size, rows: active.row + 2 }));
    else if (on !== null) go((known) => advanced(known, on, size));
    return true;
  };

  const obey = (ask: Ask): void => {
    switch (ask.do) {
      case 'move':
        return go((known) => moved(known, ask.direction, size, { extend: ask.extend }));
      case 'jump':
        return go((known) =>
          jumped(known, ask.direction, size, ask.extend, (place: Place) => isFilled(rows, columns, place)),
        );
      case 'page':
        return go((known) => moved(known, ask.direction, size, { extend: ask.extend, count: pageRows(view.bodyPx()) }));
      case 'advance':
        return go((known) => advanced(known, ask.direction, size));
      case 'lineStart':
        return go((known) =>
          to(known.anchor, { row: ask.extend ? known.corner.row : known.active.row, column: 0 }, ask.extend),
        );
      case 'lineEnd':
        return go((known) =>
          to(
            known.anchor,
            { row: ask.extend ? known.corner.row : known.active.row, column: size.columns - 1 },
            ask.extend,
          ),
        );
      case 'start':
        return go((known) => to(known.anchor, { row: 0, column: 0 }, ask.extend));
      case 'end':
        return go((known) =>
          to(known.anchor, { row: Math.max(0, size.rows - 1), column: size.columns - 1 }, ask.extend),
        );
      case 'all':
        return go(all(size));
      case 'lines':
        return go((known) => rowsOf(known.anchor.row, known.corner.row, size));
      case 'column':
        return go((known) => columnsOf(known.anchor.column, known.corner.column, size));
      case 'one':
        setLeaving(true);
        return go((known) => one(known.active));
      case 'edit':
        return begin('kept');
      case 'toggle':
        if (column?.kind !== 'switch') return begin(column?.kind === 'select' ? 'kept' : 'typed');
        if (!isLocked && row !== undefined) sheet.enter(column.read(row) === '1' ? '0' : '1', true);
        return;
      case 'clear':
        return onChange === undefined ? undefined : sheet.clear();
      case 'fillDown':
        return sheet.fillDown();
      case 'countDown':
        return sheet.countDown();
      case 'undo':
        return sheet.undo();
      case 'redo':
        return sheet.redo();
      case 'insert':
        return sheet.insert(false);
      case 'duplicate':
        return sheet.insert(true);
      case 'remove':
        return sheet.remove();
      case 'fault':
        return sheet.toFault();
    }
  };

  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Tab') {
      const last = { row: size.rows - 1, column: size.columns - 1 };
      const edge = event.shiftKey ? { row: 0, column: 0 } : last;
      const isEdge = isOne(sheet.selection) && active.row === edge.row && active.column === edge.column;
      if (isLeaving || isEdge || size.rows === 0) return;
      event.preventDefault();
      return go((known) => tabbed(known, event.shiftKey ? 'left' : 'right', size));
    }
    setLeaving(false);
    if (column?.kind === 'select' && isText(event) && event.key !== ' ') {
      begin('kept');
      return;
    }
    if (
      event.key === ' ' &&
      !event.ctrlKey &&
      !event.shiftKey &&
      column?.kind !== 'select' &&
      column?.kind !== 'switch'
    )
      return;
    const ask = askOf(event);
    if (ask === null) return;
    event.preventDefault();
    event.stopPropagation();
    obey(ask);
  };
  return { start, fault, begin, cancel: stop, finish, onKeyDown };
}

function to(anchor: Place, place: Place, extend: boolean): ReturnType<typeof one> {
  return extend ? span(anchor, place) : one(place);
}

/** Tab runs over the end of a line into the next one. */
function tabbed(
  known: ReturnType<typeof one>,
  direction: 'left' | 'right',
  size: { rows: number; columns: number },
): ReturnType<typeof one> {
  if (!isOne(known)) return advanced(known, direction, size);
  const at = known.active.row * size.columns + known.active.column + (direction === 'right' ? 1 : -1);
  return one({ row: Math.floor(at / size.columns), column: at % size.columns });
}

function isText({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return [...key].length === 1 && !ctrlKey && !metaKey && !altKey;
}

function pageRows(bodyPx: number): number {
  return Math.max(1, Math.floor(bodyPx / ROW_PX) - 1);
}
