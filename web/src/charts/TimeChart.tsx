import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { lazy, Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import uPlot from 'uplot';
import { noAnnotations } from './annotations';
import type { Annotations } from './annotations';
import type { ChartHandle, PlotArea } from './handles';
import { ChartLegend } from './ChartLegend';
import type { LegendWords } from './ChartLegend';
import classes from './charts.module.css';
import { paletteOf } from './palette';
import { optionsOf, shapeOf, strokesOf } from './plot';
import type { PlotEvents } from './plot';
import { align } from './series';
import type { ChartSeries } from './series';
import { listenToZoom } from './zooming';

const ChartHandles = lazy(async () => ({ default: (await import('./ChartHandles')).ChartHandles }));

interface Props {
  series: readonly ChartSeries[];
  /** Part of the time axis in view, UTC ms. */
  min: number;
  max: number;
  height: number;
  /** Spoken name of the picture; the same data is offered as a table. */
  label: string;
  words: LegendWords;
  onZoom: (min: number, max: number) => void;
  onReset: () => void;
  syncKey?: string;
  /** Times that are shaded, and what happened. */
  notes?: Annotations;
  /** Zoom by wheel and two fingers too; then the page does not scroll over the plot. */
  wheel?: boolean;
  /** Values of the first axis that can be moved. */
  handles?: readonly ChartHandle[];
  onHandle?: (id: string, value: number, isFinal: boolean) => void;
}

const NO_HANDLES: readonly ChartHandle[] = [];

/** Lines over time. The caller owns the part in view, so that zooming can fetch finer data. */
export function TimeChart({
  series,
  min,
  max,
  height,
  label,
  words,
  onZoom,
  onReset,
  syncKey,
  notes,
  wheel = false,
  handles = NO_HANDLES,
  onHandle,
}: Props): ReactElement {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const cursor = useRef<(index: number | null) => void>(() => undefined);
  const aligned = useMemo(() => align(series), [series]);
  const shape = useMemo(() => shapeOf(series), [series]);
  const scheme = useComputedColorScheme('light');
  const [colors, setColors] = useState<string[]>([]);
  const [area, setArea] = useState<PlotArea | null>(null);
  // While one is dragged the axis stays, or it would run away from the pointer.
  const [isDragged, setDragged] = useState(false);
  const shown = useRef<readonly number[]>([]);
  const values = handles.map(({ value }) => value).join(' ');
  const hasHandles = handles.length > 0;
  const now = useRef({ series, aligned, min, max, onZoom, onReset, notes });
  useLayoutEffect(() => {
    now.current = { series, aligned, min, max, onZoom, onReset, notes };
    if (!isDragged) shown.current = handles.map(({ value }) => value);
  });

  useEffect(() => {
    const host = frame.current;
    if (host === null) return undefined;
    const palette = paletteOf(host);
    const events: PlotEvents = {
      onZoom: (from, to) => now.current.onZoom(from, to),
      onReset: () => now.current.onReset(),
      onCursor: (index) => cursor.current(index),
      ...(hasHandles ? { onDraw: (drawn: PlotArea) => setArea((was) => (isSame(was, drawn) ? was : drawn)) } : {}),
    };
    const { series: lines, aligned: first, min: from, max: to } = now.current;
    const made = new uPlot(
      optionsOf(
        lines,
        palette,
        { width: host.clientWidth, height },
        events,
        syncKey,
        () => now.current.notes ?? noAnnotations(),
        hasHandles ? () => shown.current : undefined,
      ),
      first.data as uPlot.AlignedData,
      host,
    );
    made.setScale('x', { min: from, max: to });
    plot.current = made;
    setColors(strokesOf(lines, palette));
    const resize = new ResizeObserver(() => {
      // The first report only says how wide it was made.
      if (host.clientWidth > 0 && host.clientWidth !== made.width) made.setSize({ width: host.clientWidth, height });
    });
    resize.observe(host);
    const endZoom = wheel ? listenToZoom(made, (left, right) => now.current.onZoom(left, right)) : undefined;
    return () => {
      endZoom?.();
      resize.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape, scheme, height, syncKey, wheel, hasHandles]);

  useEffect(() => {
    const made = plot.current;
    if (made === null || made.series.length !== aligned.data.length) return;
    made.batch(() => {
      made.setData(aligned.data as uPlot.AlignedData, false);
      made.setScale('x', { min, max });
    });
  }, [aligned, min, max, values, isDragged]);

  useEffect(() => {
    if (notes !== undefined) plot.current?.redraw(false);
  }, [notes]);

  return (
    <figure className={classes.figure}>
      <div className={classes.stage}>
        <div ref={frame} className={classes.plot} style={{ minHeight: height }} role="img" aria-label={label} />
        {hasHandles && area !== null && onHandle !== undefined ? (
          <Suspense fallback={null}>
            <ChartHandles
              handles={handles}
              area={area}
              onMove={(id, value, isFinal) => {
                setDragged(!isFinal);
                onHandle(id, value, isFinal);
              }}
            />
          </Suspense>
        ) : null}
      </div>
      <ChartLegend
        series={series}
        aligned={aligned}
        colors={colors}
        min={min}
        max={max}
        words={words}
        onReady={(show) => (cursor.current = show)}
      />
    </figure>
  );
}

function isSame(was: PlotArea | null, area: PlotArea): boolean {
  return was !== null && JSON.stringify(was) === JSON.stringify(area);
}
