import { useLayoutEffect, useRef } from 'react';
import type { ClipboardEvent, KeyboardEvent, ReactElement, RefObject } from 'react';
import { Bubble } from './Bubble';
import { ROW_HEAD_PX, ROW_PX } from './layout';
import type { Layout } from './layout';
import { isClosed } from './model/change';
import type { Direction, Place } from './model/selection';
import classes from './sheet.module.css';
import type { CellFault, Column } from './types';
import type { Editing } from './useEditing';

interface Props<Row> {
  input: RefObject<HTMLInputElement | null>;
  row: Row | undefined;
  column: Column<Row> | undefined;
  place: Place;
  layout: Layout;
  editing: Editing;
  isReadOnly: boolean;
  /** Is a row made when the cell is below the last one? */
  mayAdd: boolean;
  /** The cell in words, for readers of the screen. */
  words: string;
  fault: CellFault | undefined;
  /** A finger types only after it asked for it. */
  isTouch: boolean;
  onCopy: (event: ClipboardEvent) => void;
  onCut: (event: ClipboardEvent) => void;
  onPaste: (event: ClipboardEvent) => void;
}

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
};

/**
 * The frame of the active cell. Its field always has the focus of the sheet and holds the cell's text, selected: so typing,
 * also of what is composed from several keys, begins over the text, and the clipboard's keys are the browser's own.
 */
export function CellEditor<Row>({
  input,
  row,
  column,
  place,
  layout,
  editing,
  isReadOnly,
  mayAdd,
  words,
  fault,
  isTouch,
  onCopy,
  onCut,
  onPaste,
}: Props<Row>): ReactElement | null {
  const { start } = editing;
  const isEditing = start !== null;
  const text = row === undefined || column === undefined ? '' : column.read(row);
  const isLocked =
    isReadOnly || isClosed(column, row, mayAdd) || column?.kind === 'switch' || column?.kind === 'select';
  const list = useRef<HTMLSelectElement>(null);
  const isList = isEditing && column?.kind === 'select';

  useLayoutEffect(() => {
    const field = input.current;
    if (field === null || start === 'typed') return;
    fill(field, text);
    if (start === 'kept') field.setSelectionRange(text.length, text.length);
    else if (document.activeElement === field) field.select();
  }, [input, text, place, start]);

  useLayoutEffect(() => {
    if (!isList) return;
    list.current?.focus({ preventScroll: true });
    try {
      list.current?.showPicker();
    } catch (error) {
      if (!(error instanceof DOMException)) throw error; // it opens only by a user's own act
    }
  }, [isList]);

  const back = (): void => input.current?.focus({ preventScroll: true });
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (!isEditing) return editing.onKeyDown(event);
    event.stopPropagation();
    if (event.nativeEvent.isComposing) return;
    const on = wayOn(event, start === 'typed');
    if (event.key === 'Escape') editing.cancel();
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
      editing.finish(event.currentTarget.value, null, true);
    else if (on !== null) editing.finish(event.currentTarget.value, on);
    else return;
    event.preventDefault();
  };
  const onListKey = (event: KeyboardEvent<HTMLSelectElement>): void => {
    event.stopPropagation();
    if (event.key !== 'Escape' && event.key !== 'Tab' && event.key !== 'Enter') return;
    event.preventDefault();
    back();
    if (event.key === 'Escape') editing.cancel();
    else editing.finish(event.currentTarget.value, event.key === 'Tab' ? 'right' : 'down');
  };
  if (column === undefined) return null;
  const isFrozen = place.column < layout.frozen;
  const isWrong = editing.fault !== null || fault?.level === 'error';
  return (
    <div className={classes.editorLayer} data-frozen={isFrozen || undefined}>
      <div
        className={classes.active}
        style={{
          top: place.row * ROW_PX,
          left: ROW_HEAD_PX + (layout.lefts[place.column] ?? 0),
          width: layout.widths[place.column],
          height: ROW_PX,
        }}
        data-editing={isEditing || undefined}
        data-fault={isWrong ? 'error' : fault?.level}
      >
        <input
          ref={input}
          className={classes.field}
          data-testid="sheet-field"
          aria-label={words}
          aria-invalid={isWrong || undefined}
          readOnly={isLocked}
          maxLength={column.maxLength}
          inputMode={isTouch && !isEditing ? 'none' : column.kind === 'number' ? 'decimal' : 'text'}
          autoComplete="off"
          spellCheck={false}
          data-align={column.align ?? (column.kind === 'number' ? 'right' : undefined)}
          onKeyDown={onKeyDown}
          onInput={() => !isEditing && editing.begin('typed')}
          onBlur={(event) => {
            const isOwn = event.currentTarget.parentElement?.contains(event.relatedTarget) === true;
            if (isEditing && !isList && !isOwn && !editing.finish(event.currentTarget.value, null)) editing.cancel();
          }}
          onFocus={(event) => !isEditing && event.currentTarget.select()}
          onCopy={(event) => !isEditing && onCopy(event)}
          onCut={(event) => !isEditing && onCut(event)}
          onPaste={(event) => !isEditing && onPaste(event)}
        />
        {isList ? (
          <select
            ref={list}
            className={classes.list}
            defaultValue={text}
            aria-label={words}
            data-testid="sheet-list"
            onKeyDown={onListKey}
            onChange={(event) => {
              back();
              editing.finish(event.currentTarget.value, null);
            }}
            onBlur={() => editing.cancel()}
          >
            {column.options?.some(({ value }) => value === text) === true ? null : <option value={text}>{text}</option>}
            {column.options?.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        ) : null}
        {isEditing && column.kind === 'color' ? (
          <input
            type="color"
            className={classes.colour}
            aria-label={column.title}
            defaultValue={text}
            onMouseDown={(event) => event.stopPropagation()}
            onChange={(event) => {
              if (input.current !== null) fill(input.current, event.currentTarget.value);
            }}
            onBlur={() => input.current !== null && editing.finish(input.current.value, null)}
          />
        ) : null}
        {editing.fault === null && fault === undefined ? null : (
          <Bubble
            level={editing.fault === null ? fault?.level : 'error'}
            text={editing.fault ?? fault?.text}
            at={`${place.row} ${place.column}`}
          />
        )}
      </div>
    </div>
  );
}

function fill(field: HTMLInputElement, text: string): void {
  field.value = text;
}

/** Where a key goes that ends editing; the arrows only after typing over. */
function wayOn({ key, shiftKey }: KeyboardEvent, byArrows: boolean): Direction | null {
  if (key === 'Enter') return shiftKey ? 'up' : 'down';
  if (key === 'Tab') return shiftKey ? 'left' : 'right';
  return byArrows ? (ARROWS[key] ?? null) : null;
}
