import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import uPlot from 'uplot';
import { noAnnotations } from './annotations';
import type { Annotations } from './annotations';
import { ChartLegend } from './ChartLegend';
import type { LegendWords } from './ChartLegend';
import classes from './charts.module.css';
import { paletteOf } from './palette';
import { optionsOf, shapeOf, strokesOf } from './plot';
import type { PlotEvents } from './plot';
import { align } from './series';
import type { ChartSeries } from './series';
import { listenToZoom } from './zooming';

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
}

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
}: Props): ReactElement {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const cursor = useRef<(index: number | null) => void>(() => undefined);
  const aligned = useMemo(() => align(series), [series]);
  const shape = useMemo(() => shapeOf(series), [series]);
  const scheme = useComputedColorScheme('light');
  const [colors, setColors] = useState<string[]>([]);
  const now = useRef({ series, aligned, min, max, onZoom, onReset, notes });
  useLayoutEffect(() => {
    now.current = { series, aligned, min, max, onZoom, onReset, notes };
  });

  useEffect(() => {
    const host = frame.current;
    if (host === null) return undefined;
    const palette = paletteOf(host);
    const events: PlotEvents = {
      onZoom: (from, to) => now.current.onZoom(from, to),
      onReset: () => now.current.onReset(),
      onCursor: (index) => cursor.current(index),
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
  }, [shape, scheme, height, syncKey, wheel]);

  useEffect(() => {
    const made = plot.current;
    if (made === null || made.series.length !== aligned.data.length) return;
    made.batch(() => {
      made.setData(aligned.data as uPlot.AlignedData, false);
      made.setScale('x', { min, max });
    });
  }, [aligned, min, max]);

  useEffect(() => {
    if (notes !== undefined) plot.current?.redraw(false);
  }, [notes]);

  return (
    <figure className={classes.figure}>
      <div ref={frame} className={classes.plot} style={{ minHeight: height }} role="img" aria-label={label} />
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
