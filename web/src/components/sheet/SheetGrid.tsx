import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { ClipboardEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { usePhone } from '../table/usePhone';
import { CellEditor } from './CellEditor';
import { HEAD_PX, layoutOf, ROW_HEAD_PX, ROW_PX } from './layout';
import { isFixed } from './model/change';
import { displayText } from './model/edits';
import { one } from './model/selection';
import { SheetBar } from './SheetBar';
import { SheetFoot } from './SheetFoot';
import { SheetHead } from './SheetHead';
import { SheetMarks } from './SheetMarks';
import { SheetRow } from './SheetRow';
import classes from './sheet.module.css';
import { mayAddTo } from './types';
import type { Sought, SheetFaults, SheetProps } from './types';
import { useEditing } from './useEditing';
import { usePointing } from './usePointing';
import { useSheet } from './useSheet';
import { useSheetView } from './useSheetView';

const HEIGHT_PX = 480;
const MIN_COLUMN_PX = 40;
/** Of all frozen columns together on a phone, so that others are seen beside them. */
const MAX_FROZEN_PHONE_PX = 160;

/**
 * Rows that are edited as in a spreadsheet. The caller holds the rows: it takes each change and passes the new rows back.
 * Mount it anew (by `key`) when the rows are others altogether, so that undo does not reach behind them.
 * Keys: keys.ts; while a cell is edited Enter, Tab and Escape end it, and Ctrl+Enter writes all that is selected. Pasted rows beyond
 * the end are new rows, and so is what is typed or pasted after a click below the last row. A finger selects by a tap, edits by another.
 */
export function SheetGrid<Row>(props: SheetProps<Row>): ReactElement {
  const {
    name,
    label,
    rows,
    columns,
    rowKey,
    faults,
    onChange,
    newRow,
    mayDelete,
    height = HEIGHT_PX,
    onSelect,
  } = props;
  const { t } = useTranslation();
  const isPhone = usePhone();
  const [widths, setWidths] = useState<Readonly<Record<string, number>>>({});
  const layout = useMemo(
    () => layoutOf(columns, widths, props.frozen ?? 1, isPhone ? MAX_FROZEN_PHONE_PX : undefined),
    [columns, widths, isPhone, props.frozen],
  );
  const sheet = useSheet(props);
  const frame = useRef<HTMLDivElement>(null);
  const view = useSheetView(frame, layout, rows.length);
  const editing = useEditing(props, sheet, view);
  const input = useRef<HTMLInputElement>(null);
  const pointing = usePointing(props, sheet, view, editing, input);
  const { selection, block } = sheet;
  const { active, corner } = selection;
  const mayAdd = mayAddTo(props);
  const { reveal, onScroll, visible: inView } = view;

  const previous = useRef(selection);
  useLayoutEffect(() => {
    if (previous.current === selection) return;
    const isMoved = previous.current.active !== active;
    previous.current = selection;
    reveal(isMoved ? active : corner);
  }, [selection, active, corner, reveal]);

  const followed = useRef<Sought | null>(null);
  const { seek = null } = props;
  const { select } = sheet.actions;
  useEffect(() => {
    if (seek === null || seek === followed.current) return;
    const place = {
      row: rows.findIndex((each) => rowKey(each) === seek.row),
      column: columns.findIndex(({ key }) => key === seek.column),
    };
    if (place.row < 0 || place.column < 0) return;
    followed.current = seek;
    select(one(place));
    input.current?.focus({ preventScroll: true });
  }, [seek, rows, columns, rowKey, select]);

  const { top, bottom } = block;
  useEffect(() => onSelect?.(rows.slice(top, bottom + 1)), [onSelect, rows, top, bottom]);

  const toCells = useCallback(() => input.current?.focus({ preventScroll: true }), []);
  const onWidth = useCallback(
    (key: string, px: number) => setWidths((known) => ({ ...known, [key]: Math.max(MIN_COLUMN_PX, px) })),
    [],
  );
  const counts = useMemo(() => counted(faults), [faults]);
  const [row, column] = [rows[active.row], columns[active.column]];
  const fault = row === undefined || column === undefined ? undefined : faults?.get(rowKey(row))?.get(column.key);
  const at = {
    row: active.row + 1,
    column: column?.title ?? '',
    text: row === undefined || column === undefined ? '' : displayText(column, row),
  };
  const isLocked = row !== undefined && (onChange === undefined || isFixed(column, row));
  const words = `${t(isLocked ? 'base:sheet.atLocked' : 'base:sheet.at', at)}${fault === undefined ? '' : ` ${fault.text}`}`;

  const onClipboard =
    (work: (event: ClipboardEvent) => void) =>
    (event: ClipboardEvent): void => {
      event.preventDefault();
      work(event);
    };
  const bodyPx = (rows.length + (mayAdd ? 1 : 0)) * ROW_PX;
  const lines = [];
  for (let index = inView.firstRow; index <= inView.lastRow; index++) {
    const each = rows[index];
    if (each === undefined) continue;
    const key = rowKey(each);
    lines.push(
      <SheetRow
        key={key}
        name={name}
        row={each}
        index={index}
        columns={columns}
        layout={layout}
        first={inView.firstColumn}
        last={inView.lastColumn}
        faults={faults?.get(key)}
        rowHeader={props.rowHeader}
        isReadOnly={onChange === undefined}
      />,
    );
  }
  return (
    <div
      className={classes.sheet}
      style={{ height }}
      onPointerDownCapture={pointing.onPointerDownCapture}
      data-testid={`${name}-sheet`}
    >
      <SheetBar
        actions={sheet.actions}
        onDone={toCells}
        mayEdit={onChange !== undefined}
        mayAdd={newRow !== undefined}
        mayDelete={mayDelete !== undefined}
        canUndo={sheet.history.done.length > 0}
        canRedo={sheet.history.undone.length > 0}
        errors={counts.errors}
        warnings={counts.warnings}
        tools={props.tools}
      />
      <div ref={frame} className={classes.frame} onScroll={onScroll} data-testid={`${name}-frame`}>
        <div
          className={classes.content}
          style={{ width: ROW_HEAD_PX + layout.totalPx, height: HEAD_PX + bodyPx }}
          role="presentation"
          onPointerDown={pointing.onPointerDown}
          onMouseDown={pointing.onMouseDown}
          onClick={pointing.onClick}
          onDoubleClick={pointing.onDoubleClick}
        >
          <div
            role="grid"
            aria-label={label}
            aria-rowcount={rows.length + 1}
            aria-colcount={columns.length + 1}
            aria-readonly={onChange === undefined || undefined}
          >
            <SheetHead
              columns={columns}
              layout={layout}
              first={inView.firstColumn}
              last={inView.lastColumn}
              corner={t('base:sheet.corner')}
              onWidth={onWidth}
            />
            <div role="rowgroup" className={classes.body} style={{ height: bodyPx }}>
              {lines}
            </div>
          </div>
          {rows.length === 0 && !mayAdd ? null : (
            <div className={classes.over}>
              <SheetMarks
                block={block}
                layout={layout}
                pulledTo={pointing.pulledTo}
                onPull={onChange === undefined || row === undefined ? null : pointing.onPull}
              />
              <CellEditor
                input={input}
                row={row}
                column={column}
                place={active}
                layout={layout}
                editing={editing}
                isReadOnly={onChange === undefined}
                mayAdd={mayAdd}
                words={words}
                fault={fault}
                isTouch={pointing.isTouch}
                onCopy={onClipboard((event) => event.clipboardData.setData('text/plain', sheet.actions.copy()))}
                onCut={onClipboard((event) => {
                  event.clipboardData.setData('text/plain', sheet.actions.copy());
                  if (onChange !== undefined) sheet.actions.clear();
                })}
                onPaste={onClipboard((event) => {
                  if (onChange !== undefined) sheet.actions.paste(event.clipboardData.getData('text/plain'));
                })}
              />
            </div>
          )}
        </div>
        {rows.length === 0 ? <div className={classes.empty}>{props.empty}</div> : null}
      </div>
      <SheetFoot rows={rows.length} block={block} notice={sheet.notice} words={words} />
    </div>
  );
}

function counted(faults: SheetFaults | undefined): { errors: number; warnings: number } {
  let [errors, warnings] = [0, 0];
  for (const row of faults?.values() ?? []) {
    for (const { level } of row.values()) {
      if (level === 'error') errors += 1;
      else if (level === 'warning') warnings += 1;
    }
  }
  return { errors, warnings };
}
