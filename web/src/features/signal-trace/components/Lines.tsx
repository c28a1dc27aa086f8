import { memo, useLayoutEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { useRowWindow } from '@/components/table/useRowWindow';
import { formatClock } from '@/lib/time';
import type { TraceEntry } from '@/lib/live';
import type { TraceLine } from '../buffer';
import { isBad, spaced } from '../filters';
import { fieldsLine } from '../texts';
import classes from '../trace.module.css';

const ROW_PX = 26;
const MILLIS = 1000;

interface Props {
  lines: readonly TraceLine[];
  isFollowing: boolean;
  /** Somebody scrolls back. */
  onLeaveEnd: () => void;
  chosen: number | null;
  onChoose: (key: number) => void;
  /** There are lines, of which none is wanted. */
  isFiltered: boolean;
}

/** The lines in view of all; the newest last. */
export function Lines({ lines, isFollowing, onLeaveEnd, chosen, onChoose, isFiltered }: Props): ReactElement {
  const { t } = useTranslation();
  const frame = useRef<HTMLDivElement>(null);
  const active = chosen === null ? lines.length : lines.findIndex(({ key }) => key === chosen);
  const view = useRowWindow(lines.length, ROW_PX, frame, active < 0 ? lines.length : active);
  const newest = lines.at(-1)?.key;
  const reveal = useRef(view.reveal);
  useLayoutEffect(() => {
    reveal.current = view.reveal;
  });
  useLayoutEffect(() => {
    if (isFollowing && lines.length > 0) reveal.current(lines.length - 1);
  }, [isFollowing, newest, lines.length]);
  const move = (by: number): void => {
    const from = active >= lines.length ? (by > 0 ? -1 : lines.length) : active;
    const next = Math.min(Math.max(from + by, 0), lines.length - 1);
    const line = lines[next];
    if (line === undefined) return;
    onChoose(line.key);
    onLeaveEnd();
    view.reveal(next);
  };
  if (lines.length === 0)
    return (
      <div className={classes.frame} data-testid="strace-lines">
        <Empty title={t(isFiltered ? 'base:table.noMatch' : 'signal-trace:nothing')} />
      </div>
    );
  return (
    <div
      ref={frame}
      className={classes.frame}
      tabIndex={0}
      role="grid"
      aria-label={t('signal-trace:list')}
      aria-rowcount={lines.length}
      onWheel={(event) => {
        if (event.deltaY < 0 && event.currentTarget.scrollTop > 0) onLeaveEnd();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
        event.preventDefault();
        move(event.key === 'ArrowDown' ? 1 : -1);
      }}
      data-testid="strace-lines"
    >
      {view.indexes.map((index, place) => {
        const line = lines[index];
        return line === undefined ? null : (
          <Row
            key={line.key}
            line={line}
            index={index}
            gapPx={view.gapBefore(place)}
            isChosen={line.key === chosen}
            onChoose={onChoose}
          />
        );
      })}
      <div style={{ height: view.gapAfter }} aria-hidden />
    </div>
  );
}

interface RowProps {
  line: TraceLine;
  index: number;
  /** Of lines before it that are not in the page. */
  gapPx: number;
  isChosen: boolean;
  onChoose: (key: number) => void;
}

const Row = memo(function Row({ line, index, gapPx, isChosen, onChoose }: RowProps): ReactElement {
  const { t } = useTranslation();
  const style = gapPx > 0 ? { marginTop: gapPx } : undefined;
  const { entry } = line;
  if (entry === null)
    return (
      <div role="row" aria-rowindex={index + 1} className={classes.gap} style={style} data-testid="strace-gap">
        <span role="gridcell">{t('signal-trace:gap', { count: line.missing })}</span>
      </div>
    );
  return (
    <div
      role="row"
      aria-rowindex={index + 1}
      aria-selected={isChosen}
      className={classes.line}
      data-bad={isBad(entry) || undefined}
      data-kind={entry.kind}
      style={style}
      tabIndex={-1}
      onClick={() => onChoose(line.key)}
      onKeyDown={(event) => event.key === 'Enter' && onChoose(line.key)}
      data-testid="strace-line"
    >
      <span role="gridcell" className={classes.time}>
        {timeOf(entry.t_ms)}
      </span>
      <span role="gridcell">{t(`signal-trace:kind.${entry.kind}`, { defaultValue: entry.kind })}</span>
      <span role="gridcell">{entry.source}</span>
      <span role="gridcell">{entry.device}</span>
      <span
        role="gridcell"
        title={entry.direction === undefined ? undefined : t(`signal-trace:direction.${entry.direction}`)}
      >
        {arrowOf(entry)}
      </span>
      <span role="gridcell" className={classes.words}>
        {wordsOf(entry, t('signal-trace:hidden', { size: entry.size ?? 0 }))}
      </span>
    </div>
  );
});

function arrowOf({ direction }: TraceEntry): string {
  if (direction === undefined) return '';
  return direction === 'sent' ? '→' : '←';
}

function timeOf(ms: number): string {
  return `${formatClock(ms)}.${String(Math.trunc(ms) % MILLIS).padStart(3, '0')}`;
}

/** Bytes and what they say, or the text. */
function wordsOf(entry: TraceEntry, hidden: string): string {
  const bytes = entry.hidden === true ? hidden : spaced(entry.data ?? '');
  const text = entry.text?.replaceAll('\n', ' ');
  return [bytes, fieldsLine(entry.fields), text, entry.error].filter(Boolean).join('   ');
}
