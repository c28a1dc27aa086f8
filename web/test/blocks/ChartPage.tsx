import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import type { Root } from 'react-dom/client';
import { flushSync } from 'react-dom';
import { MantineProvider } from '@mantine/core';
import uPlot from 'uplot';
import { decodePacked } from '@/charts/packed';
import type { PackedHistory } from '@/charts/packed';
import { TimeChart } from '@/charts/TimeChart';
import { packedSeries } from '@/blocks/history/series';
import type { DataSource } from '@/blocks/history/api';

const STEP_MS = 1000;
const HEADER_BYTES = 24;
const POINT_BYTES = 40;
const WORDS = { series: 'Point', atCursor: 'At the pointer', min: 'Min', mean: 'Mean', max: 'Max', last: 'Last' };

/** An answer of GET /device/hisdata/packed with every sample of so many points. */
export function answer(points: number, samples: number): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + points * (POINT_BYTES + 16 * samples)));
  [...'HST1'].forEach((letter, at) => view.setUint8(at, letter.charCodeAt(0)));
  view.setUint32(4, points, true);
  view.setFloat64(16, samples * STEP_MS, true);
  let at = HEADER_BYTES + points * POINT_BYTES;
  for (let point = 0; point < points; point++) {
    const head = HEADER_BYTES + point * POINT_BYTES;
    view.setUint32(head, point + 1, true);
    view.setUint32(head + 4, samples, true);
    view.setUint32(head + 8, 1, true);
    view.setFloat64(head + 24, samples, true);
    view.setFloat64(head + 32, NaN, true);
    new Float64Array(view.buffer, at, samples).forEach((_, n, to) => (to[n] = n * STEP_MS));
    let value = 20 * (point + 1);
    new Float64Array(view.buffer, at + 8 * samples, samples).forEach(
      (_, n, to) => (to[n] = value += Math.random() - 0.5),
    );
    at += 16 * samples;
  }
  return view.buffer;
}

const POSITIONS = { on: 'on', off: 'off' };

const sourceOf = (dsid: number): DataSource => ({
  dsid,
  ds_name: `p${dsid}`,
  ds_title: `Point ${dsid}`,
  ds_type: 'num',
  rw: 'readonly',
  data_type: 'float',
  unit: 'V',
  decimals: 2,
  slave: 's',
  slave_title: 'Boiler',
  record: 1,
  period_ms: STEP_MS,
  min: null,
  max: null,
});

interface Shown {
  packed: PackedHistory;
  min: number;
  max: number;
}

function Chart({ packed, min, max }: Shown): ReactElement {
  const series = useMemo(
    () =>
      packed.points.map((point) => packedSeries(sourceOf(point.dsid), point, packed.startMs, packed.endMs, POSITIONS)),
    [packed],
  );
  return (
    <TimeChart
      series={series}
      min={min}
      max={max}
      height={340}
      label="Chart"
      words={WORDS}
      onZoom={() => undefined}
      onReset={() => undefined}
    />
  );
}

/** Hands out what changes the chart, so that nothing around it is drawn anew. */
function Changing({
  first,
  onReady,
}: {
  first: Shown;
  onReady: (change: (next: Shown) => void) => void;
}): ReactElement {
  const [shown, setShown] = useState(first);
  useEffect(() => onReady(setShown), [onReady]);
  return <Chart {...shown} />;
}

/** Until what was asked for is on the screen; uPlot draws in a microtask. */
const painted = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

/** What a benchmark calls; each ends when it is on the screen. */
function measures(host: HTMLElement): NonNullable<Window['charts']> {
  let root: Root | null = null;
  let shown: Shown | null = null;
  let change: ((next: Shown) => void) | null = null;
  const onReady = (given: (next: Shown) => void): void => void (change = given);
  let push = async (): Promise<void> => undefined;
  const show = async (next: Shown): Promise<void> => {
    shown = next;
    flushSync(() => {
      if (change === null)
        root?.render(
          <MantineProvider>
            <Changing first={next} onReady={onReady} />
          </MantineProvider>,
        );
      else change(next);
    });
    await painted();
  };
  return {
    paint: async (bytes) => {
      root?.unmount();
      change = null;
      root = createRoot(host);
      const packed = decodePacked(bytes);
      await show({ packed, min: packed.startMs, max: packed.endMs });
    },
    zoom: async (from, to) => {
      if (shown === null) throw new Error('nothing is shown');
      const { packed } = shown;
      const length = packed.endMs - packed.startMs;
      await show({ packed, min: packed.startMs + from * length, max: packed.startMs + to * length });
    },
    live: async (points, samples, updates) => {
      const whole = decodePacked(answer(points, samples + updates));
      const until = (count: number): Shown => ({
        packed: {
          ...whole,
          points: whole.points.map((one) => ({
            ...one,
            t: one.t.subarray(count - samples, count),
            v: one.v.subarray(count - samples, count),
          })),
        },
        min: (count - samples) * STEP_MS,
        max: count * STEP_MS,
      });
      root?.unmount();
      change = null;
      root = createRoot(host);
      await show(until(samples));
      let count = samples;
      push = async () => void (await show(until(++count)));
    },
    push: () => push(),
    bare: async (bytes) => {
      root?.unmount();
      change = null;
      root = null;
      const point = decodePacked(bytes).points[0];
      if (point === undefined) throw new Error('no point');
      const plot = new uPlot(
        { width: host.clientWidth, height: 340, ms: 1, series: [{}, { stroke: 'red' }] },
        [point.t, point.v],
        host,
      );
      await painted();
      plot.destroy();
    },
  };
}

/** Charts of as many samples as are asked for, without a cloud. */
export function ChartPage(): ReactElement {
  const [host, setHost] = useState<HTMLDivElement | null>(null);
  useEffect(() => {
    if (host === null) return;
    window.answer = answer;
    window.charts = measures(host);
  }, [host]);
  return (
    <>
      <h1>Charts</h1>
      <div ref={setHost} data-testid="chart" />
    </>
  );
}

declare global {
  interface Window {
    answer?: (points: number, samples: number) => ArrayBuffer;
    charts?: {
      /** From the answer's bytes to the picture. */
      paint: (bytes: ArrayBuffer) => Promise<void>;
      /** To a part of what is shown, from 0 to 1. */
      zoom: (from: number, to: number) => Promise<void>;
      /** So many samples of so many points, with more for so many updates. */
      live: (points: number, samples: number, updates: number) => Promise<void>;
      /** One more sample of each point of live comes, and the oldest goes. */
      push: () => Promise<void>;
      /** The library alone with the first point. */
      bare: (bytes: ArrayBuffer) => Promise<void>;
    };
  }
}
