import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { applied, entered, isEmpty } from './model/change';
import type { Entry, Outcome } from './model/change';
import { fromClipboard, toClipboard } from './model/clipboard';
import {
  countedDown,
  filledDown,
  inserted,
  nextFault,
  pasted,
  pulledDown,
  removed,
  setAll,
  texts,
} from './model/edits';
import { emptyHistory, redo, remembered, undo } from './model/history';
import type { History, Step } from './model/history';
import { blockOf, followed, clamped, one, NOWHERE, rowsOf, span } from './model/selection';
import type { Block, Selection, Size } from './model/selection';
import type { Change, Column, SheetProps } from './types';

/** As the number column takes it: no thousands mark, a point for the decimals. */
const NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;
const COLOUR = /^#[0-9a-f]{6}$/i;
const MAX_ROWS = 50_000;

/** What a user can do with a sheet. Stable; each works on what the sheet holds when it is called. */
export interface SheetActions {
  select: (next: Selection | ((known: Selection) => Selection)) => void;
  /** To the line below the last row: what is typed or pasted there becomes rows. */
  selectBelow: (column: number) => void;
  /** Text into the active cell, or with `all` into the whole block. Returns why it was not taken. */
  enter: (text: string, all: boolean) => string | null;
  clear: () => void;
  copy: () => string;
  paste: (text: string) => void;
  fillDown: () => void;
  countDown: () => void;
  pullDown: (bottom: number, counting: boolean) => void;
  insert: (copy: boolean) => void;
  remove: () => void;
  undo: () => void;
  redo: () => void;
  toFault: () => void;
}

export interface Sheet<Row> extends SheetActions {
  /** The same, stable. */
  actions: SheetActions;
  selection: Selection;
  block: Block;
  /** With the line below the last row while it is selected. */
  size: Size;
  history: History<Row>;
  /** What became of the last action, when there is something to say. */
  notice: string;
}

export function useSheet<Row>(props: SheetProps<Row>): Sheet<Row> {
  const { t } = useTranslation();
  const [requested, setSelection] = useState(NOWHERE);
  const [history, setHistory] = useState<History<Row>>(emptyHistory);
  const [notice, setNotice] = useState('');
  const [mayBelow, setMayBelow] = useState(false);
  const [columnsBefore, setColumnsBefore] = useState(props.columns);
  if (columnsBefore !== props.columns) {
    setColumnsBefore(props.columns);
    setSelection((known) => followed(known, keysOf(columnsBefore), keysOf(props.columns)));
  }
  const isBelow = mayBelow && requested.active.row >= props.rows.length;
  const rowCount = props.rows.length + (isBelow ? 1 : 0);
  const size = useMemo(() => ({ rows: rowCount, columns: props.columns.length }), [rowCount, props.columns.length]);
  const selection = useMemo(() => clamped(requested, size), [requested, size]);
  const block = useMemo(() => blockOf(selection), [selection]);
  const now = useRef({ props, selection, block, size, history, t });
  useLayoutEffect(() => {
    now.current = { props, selection, block, size, history, t };
  });

  const actions = useMemo<SheetActions>(() => {
    const commit = (change: Change<Row>): void => {
      const {
        props: { rows, rowKey, onChange },
        history: known,
      } = now.current;
      if (isEmpty(change) || onChange === undefined) return;
      setHistory(remembered(known, change));
      onChange(applied(rows, change, rowKey), change);
    };
    const write = (entries: readonly Entry[], keeps = true): Outcome<Row> => {
      const {
        props: { rows, columns, rowKey, newRow, maxRows = MAX_ROWS },
      } = now.current;
      const faultOf = (column: Column<Row>, text: string): string | null => {
        const key = wrongKind(column, text);
        return key === null ? null : now.current.t(key);
      };
      const words = { yes: wordsOf(now.current.t('base:sheet.yes')), no: wordsOf(now.current.t('base:sheet.no')) };
      const outcome = entered(rows, entries, { rowKey, columns, newRow, maxRows, words, faultOf, keeps });
      if (outcome.refused.length < entries.length) commit(outcome.change); // else it would be empty rows
      return outcome;
    };
    const announce = ({ refused, wrong, fixed, beyond }: Outcome<Row>): void => {
      const {
        t: say,
        props: { columns },
      } = now.current;
      const parts: string[] = [];
      for (const [key, several] of [
        ['base:sheet.refused', refused],
        ['base:sheet.wrong', wrong],
      ] as const) {
        const first = several[0];
        if (first === undefined) continue;
        const column = columns[first.column]?.title ?? '';
        parts.push(say(key, { count: several.length, row: first.row + 1, column, fault: first.fault }));
      }
      if (fixed > 0) parts.push(say('base:sheet.fixed', { count: fixed }));
      if (beyond > 0) parts.push(say('base:sheet.beyond', { count: beyond }));
      setNotice(parts.join(' '));
    };
    const step = (taken: Step<Row> | null): void => {
      const {
        props: { rows, rowKey, onChange },
      } = now.current;
      if (taken === null || onChange === undefined) return;
      setHistory(taken.history);
      setNotice('');
      const next = applied(rows, taken.change, rowKey);
      onChange(next, taken.change);
      const at = touched(next, taken.change, rowKey);
      const { top, bottom } = now.current.block;
      if (at !== null && (at < top || at > bottom))
        setSelection((known) => one({ row: at, column: known.active.column }));
    };
    return {
      select: (next) => {
        setSelection((known) => (typeof next === 'function' ? next(clamped(known, now.current.size)) : next));
        setNotice('');
      },
      selectBelow: (column) => {
        setMayBelow(true);
        setSelection(one({ row: now.current.props.rows.length, column: Math.max(0, column) }));
        setNotice('');
      },
      enter: (text, all) => {
        const {
          props: { rows, columns },
          selection: { active },
          block: chosen,
        } = now.current;
        if (rows[active.row] === undefined) setMayBelow(true);
        const outcome = write(all ? setAll(rows, columns, chosen, text) : [{ ...active, text }], false);
        if (outcome.refused.length === 0 || all) announce(outcome);
        return all ? null : (outcome.refused[0]?.fault ?? null);
      },
      clear: () => announce(write(setAll(now.current.props.rows, now.current.props.columns, now.current.block, ''))),
      copy: () => toClipboard(texts(now.current.props.rows, now.current.props.columns, now.current.block)),
      paste: (text) => {
        const target = pasted(fromClipboard(text), now.current.block);
        if (target.entries.length === 0) return;
        announce(write(target.entries));
        const { top, left, bottom, right } = target.block;
        setSelection(
          span({ row: top, column: left }, { row: bottom, column: Math.min(right, now.current.size.columns - 1) }),
        );
      },
      fillDown: () => announce(write(filledDown(now.current.props.rows, now.current.props.columns, now.current.block))),
      countDown: () =>
        announce(write(countedDown(now.current.props.rows, now.current.props.columns, now.current.block))),
      pullDown: (bottom, counting) => {
        const {
          props: { rows, columns },
          block: from,
        } = now.current;
        if (bottom <= from.bottom) return;
        announce(write(pulledDown(rows, columns, from, bottom, counting)));
        setSelection(span({ row: from.top, column: from.left }, { row: bottom, column: from.right }));
      },
      insert: (copy) => {
        const {
          props: { rows, newRow, maxRows = MAX_ROWS },
          block: from,
          selection: { active },
          size: known,
        } = now.current;
        if (newRow === undefined) return;
        const change = inserted(rows, from, maxRows, newRow, copy);
        commit(change);
        setNotice(change.added.length === 0 ? now.current.t('base:sheet.full', { count: maxRows }) : '');
        const [first, last] = [change.added[0]?.at, change.added.at(-1)?.at];
        if (first === undefined || last === undefined) return;
        const size_ = { ...known, rows: known.rows + change.added.length };
        setSelection(copy || first !== last ? rowsOf(first, last, size_) : one({ row: first, column: active.column }));
      },
      remove: () => {
        const {
          props: { rows, mayDelete },
          block: from,
        } = now.current;
        if (mayDelete === undefined) return;
        const change = removed(rows, from, mayDelete);
        commit(change);
        const stay = rows.slice(from.top, from.bottom + 1).length - change.removed.length;
        setMayBelow(false);
        setNotice(stay > 0 ? now.current.t('base:sheet.stay', { count: stay }) : '');
        setSelection((known) => one({ row: from.top, column: known.active.column }));
      },
      undo: () => step(undo(now.current.history)),
      redo: () => step(redo(now.current.history)),
      toFault: () => {
        const {
          props: { rows, columns, rowKey, faults },
          selection: { active },
        } = now.current;
        const place =
          faults === undefined || rows.length === 0 ? null : nextFault(rows, columns, rowKey, faults, active);
        if (place !== null) setSelection(one(place));
      },
    };
  }, []);
  return { ...actions, actions, selection, block, size, history, notice };
}

function keysOf<Row>(columns: readonly Column<Row>[]): string[] {
  return columns.map(({ key }) => key);
}

function wordsOf(list: string): ReadonlySet<string> {
  return new Set(list.toLowerCase().split(' '));
}

/** The key of the words for a text that the column's kind does not know. */
function wrongKind<Row>({ kind, options }: Column<Row>, text: string): string | null {
  if (text === '') return null;
  if (kind === 'number' && !NUMBER.test(text)) return 'base:sheet.rule.number';
  if (kind === 'switch' && text !== '0' && text !== '1') return 'base:sheet.rule.switch';
  if (kind === 'color' && !COLOUR.test(text)) return 'base:sheet.rule.color';
  if (kind === 'select' && options?.some(({ value }) => value === text) !== true) return 'base:sheet.rule.select';
  return null;
}

/** The first row that a change touches, after it. */
function touched<Row>(rows: readonly Row[], change: Change<Row>, rowKey: (row: Row) => string | number): number | null {
  const keys = new Set([...change.changed.map(({ key }) => key), ...change.added.map(({ row }) => rowKey(row))]);
  const at = rows.findIndex((row) => keys.has(rowKey(row)));
  if (at >= 0) return at;
  return change.removed[0]?.at ?? null;
}
