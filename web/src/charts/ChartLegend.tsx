import { useEffect, useMemo, useRef } from 'react';
import type { ReactElement } from 'react';
import { formatNumber } from '@/lib/numbers';
import { formatDateTime } from '@/lib/time';
import classes from './charts.module.css';
import { summary } from './series';
import type { Aligned, ChartSeries } from './series';

export interface LegendWords {
  series: string;
  atCursor: string;
  min: string;
  mean: string;
  max: string;
  /** The newest of the window; without it there is no such column. */
  last?: string;
}

interface Props {
  series: readonly ChartSeries[];
  aligned: Aligned;
  /** Of each line. */
  colors: readonly string[];
  min: number;
  max: number;
  words: LegendWords;
  /** Hands out the function that shows the values under the pointer. */
  onReady: (show: (index: number | null) => void) => void;
}

/** Names of the lines with their values under the pointer and their extremes in view. */
export function ChartLegend({ series, aligned, colors, min, max, words, onReady }: Props): ReactElement {
  const cells = useRef<(HTMLTableCellElement | null)[]>([]);
  const time = useRef<HTMLTableCellElement>(null);
  const summaries = useMemo(() => series.map((one) => summary(one, min, max)), [series, min, max]);

  useEffect(() => {
    onReady((index) => {
      const at = index === null ? undefined : aligned.data[0][index];
      if (time.current !== null) time.current.textContent = at === undefined ? words.atCursor : formatDateTime(at);
      series.forEach((one, which) => {
        const value = index === null ? null : lastKnown(aligned, which, index);
        const cell = cells.current[which];
        if (cell) cell.textContent = value === null ? '' : textOf(one, value);
      });
    });
  });

  return (
    <div
      className={classes.legendFrame}
      data-testid="chart-legend"
      role="region"
      aria-label={words.series}
      tabIndex={0}
    >
      <table className={classes.legend}>
        <thead>
          <tr>
            <th scope="col">{words.series}</th>
            <th scope="col" ref={time}>
              {words.atCursor}
            </th>
            <th scope="col">{words.min}</th>
            <th scope="col">{words.mean}</th>
            <th scope="col">{words.max}</th>
            {words.last === undefined ? null : <th scope="col">{words.last}</th>}
          </tr>
        </thead>
        <tbody>
          {series.map((one, index) => {
            const seen = summaries[index];
            const text = (value: number | null | undefined): string =>
              value === undefined || value === null ? '–' : textOf(one, value);
            const mean = seen?.mean ?? null;
            return (
              <tr key={one.id}>
                <th scope="row">
                  <i
                    className={classes.swatch}
                    style={{ color: colors[index] }}
                    data-ghost={one.ghostOf !== undefined || undefined}
                  />
                  {one.label}
                  {one.unit === '' ? null : <span className={classes.unit}>{one.unit}</span>}
                </th>
                <td ref={(cell) => void (cells.current[index] = cell)} />
                <td data-label={words.min}>{text(seen?.min)}</td>
                <td data-label={words.mean}>
                  {mean !== null && one.meanText !== undefined ? one.meanText(mean) : text(mean)}
                </td>
                <td data-label={words.max}>{text(seen?.max)}</td>
                {words.last === undefined ? null : <td data-label={words.last}>{text(seen?.last)}</td>}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function textOf(line: ChartSeries, value: number): string {
  return line.text?.(value) ?? formatNumber(value, line.decimals);
}

/** Value of a line at an index of the shared axis: its own sample there, or the one before; null in a gap. */
function lastKnown(aligned: Aligned, which: number, index: number): number | null {
  const column = aligned.data[aligned.at[which] ?? 0];
  for (let at = index; at >= 0; at--) {
    const value = column?.[at];
    if (value !== undefined) return value;
  }
  return null;
}
