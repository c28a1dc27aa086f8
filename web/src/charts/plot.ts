import uPlot from 'uplot';
import { drawMarks, drawSpans, noAnnotations } from './annotations';
import type { Annotations } from './annotations';
import { rangeWith } from './handles';
import type { PlotArea } from './handles';
import { parseColour, visibleOn } from '@/lib/colour';
import type { Palette } from './palette';
import { align, tickTexts } from './series';
import type { ChartSeries } from './series';

export interface PlotEvents {
  onZoom: (min: number, max: number) => void;
  onReset: () => void;
  /** Index of the time under the pointer; null when it left. */
  onCursor: (index: number | null) => void;
  /** It was drawn: where, and what its first axis shows. */
  onDraw?: (area: PlotArea) => void;
}

/** Axes of more units would leave no room for the lines; such units are read in the legend. */
const MAX_AXES = 4;
const NARROW_PX = 520;
/** Width of a digit of the axes' font. */
const CHARACTER_PX = 6.5;
/** Narrower selections are clicks. */
const SMALLEST_SELECTION_PX = 5;
/** Limits of more series than this would hide the lines. */
const MAX_WITH_LIMITS = 2;

/** Of each series: the chosen colour, shifted until it is seen on the ground, or else the palette's by its place. */
export function strokesOf(series: readonly ChartSeries[], palette: Palette): string[] {
  return series.map((one, index) => {
    const place = one.ghostOf ?? index;
    const chosen = parseColour(one.color ?? '');
    const ground = parseColour(palette.ground);
    if (chosen !== null && ground !== null) return visibleOn(chosen, ground);
    return palette.lines[place % palette.lines.length] ?? palette.text;
  });
}

const scaleOf = (series: ChartSeries): string => `y ${series.unit}`;

/** What decides the plot's structure; when it changes the plot is made anew. */
export function shapeOf(series: readonly ChartSeries[]): string {
  return JSON.stringify(
    series.map((one) => [
      one.id,
      one.label,
      one.unit,
      one.stepped,
      one.low !== undefined,
      one.min,
      one.max,
      one.limits,
      one.decimals,
      one.ghostOf,
      one.names,
      one.color,
    ]),
  );
}

interface Size {
  width: number;
  height: number;
}

export function optionsOf(
  series: readonly ChartSeries[],
  palette: Palette,
  size: Size,
  events: PlotEvents,
  syncKey: string | undefined,
  notes: () => Annotations = noAnnotations,
  /** Values that the first axis shows beside those of its lines; undefined leaves the axis to the lines. */
  shown?: () => readonly number[],
): uPlot.Options {
  const strokes = strokesOf(series, palette);
  const units = [...new Set(series.map(scaleOf))];
  const axisUnits = units.slice(0, size.width < NARROW_PX ? 2 : MAX_AXES);
  return {
    ...size,
    ms: 1,
    padding: [12, 8, 0, 0],
    legend: { show: false },
    cursor: {
      drag: { x: true, y: false, setScale: false },
      points: { size: 6 },
      bind: {
        dblclick: () => () => {
          events.onReset();
          return null;
        },
      },
      ...(syncKey === undefined ? {} : { sync: { key: syncKey } }),
    },
    scales: {
      x: { time: true, auto: false },
      ...Object.fromEntries(units.map((unit, index) => [unit, scaleWith(index === 0 ? shown : undefined)])),
    },
    axes: [
      timeAxis(palette),
      ...axisUnits.map((unit, index) =>
        valueAxis(unit, index, palette, namesOn(series.filter((one) => scaleOf(one) === unit))),
      ),
    ],
    series: [{}, ...series.flatMap((one, index) => linesOf(one, strokes[index] ?? palette.text))],
    bands: bandsOf(series, strokes),
    hooks: {
      setSelect: [(plot) => selected(plot, events)],
      setCursor: [(plot) => events.onCursor(plot.cursor.idx ?? null)],
      drawClear: [
        (plot) => drawSpans(plot, notes().spans, palette),
        (plot) => {
          if (series.length <= MAX_WITH_LIMITS) drawLimits(plot, series, palette);
        },
      ],
      draw: [
        (plot) => drawMarks(plot, notes().marks, palette),
        (plot) => {
          if (units[0] !== undefined) events.onDraw?.(areaOf(plot, units[0]));
        },
      ],
    },
  };
}

function scaleWith(shown: (() => readonly number[]) | undefined): uPlot.Scale {
  return shown === undefined
    ? { auto: true }
    : { auto: true, range: (_plot, low, high) => rangeWith(shown(), low, high) };
}

function areaOf(plot: uPlot, scale: string): PlotArea {
  const { left, top, width, height } = plot.bbox;
  const { min, max } = plot.scales[scale] ?? {};
  const [x, y, w, h] = [left, top, width, height].map((px) => px / devicePixelRatio) as [
    number,
    number,
    number,
    number,
  ];
  return { left: x, top: y, width: w, height: h, low: min ?? 0, high: max ?? 1 };
}

function timeAxis(palette: Palette): uPlot.Axis {
  return {
    stroke: palette.text,
    grid: { stroke: palette.grid, width: 1 },
    ticks: { stroke: palette.grid, width: 1, size: 4 },
    font: '11px sans-serif',
    space: 72,
    values: (_plot, ticks, _axis, _space, step) => tickTexts(ticks, step),
  };
}

type Names = NonNullable<ChartSeries['names']>;

/** Names for an axis whose lines all have the same ones. */
function namesOn(lines: readonly ChartSeries[]): Names | undefined {
  const names = lines[0]?.names;
  return lines.every((line) => JSON.stringify(line.names) === JSON.stringify(names)) ? names : undefined;
}

function valueAxis(scale: string, index: number, palette: Palette, names: Names | undefined): uPlot.Axis {
  const unit = scale.slice(2);
  return {
    scale,
    side: index % 2 === 0 ? 3 : 1,
    stroke: palette.text,
    grid: { show: index === 0, stroke: palette.grid, width: 1 },
    ticks: { stroke: palette.grid, width: 1, size: 4 },
    font: '11px sans-serif',
    size: (_plot, values) => 14 + CHARACTER_PX * Math.max(3, ...(values ?? []).map((text) => text.length)),
    ...(names === undefined
      ? {}
      : {
          splits: () => names.map(([value]) => value),
          values: (_plot, ticks) => ticks.map((tick) => names.find(([value]) => value === tick)?.[1] ?? ''),
        }),
    ...(unit === '' ? {} : { label: unit, labelSize: 18, labelFont: '11px sans-serif', labelGap: 0 }),
  };
}

function linesOf(series: ChartSeries, color: string): uPlot.Series[] {
  const scale = scaleOf(series);
  const stepped = uPlot.paths.stepped?.({ align: 1, alignGaps: 1 });
  const line: uPlot.Series = {
    scale,
    stroke: color,
    width: 1.5,
    points: { show: false },
    ...(series.ghostOf === undefined ? {} : { dash: [5, 4], width: 1, alpha: 0.6 }),
    ...(series.stepped && stepped !== undefined ? { paths: stepped } : {}),
  };
  if (series.low === undefined || series.high === undefined) return [line];
  const edge: uPlot.Series = { scale, stroke: 'transparent', width: 0, points: { show: false } };
  return [line, edge, { ...edge }];
}

function bandsOf(series: readonly ChartSeries[], strokes: readonly string[]): uPlot.Band[] {
  const { at } = align(series.map((one) => ({ ...one, t: [], y: [] })));
  return series.flatMap((one, index) => {
    const first = at[index];
    if (one.low === undefined || one.high === undefined || first === undefined) return [];
    return [{ series: [first + 1, first + 2], fill: `${strokes[index]}2e` }] satisfies uPlot.Band[];
  });
}

function selected(plot: uPlot, events: PlotEvents): void {
  const { left, width } = plot.select;
  if (width < SMALLEST_SELECTION_PX) return;
  const [min, max] = [plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x')];
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  events.onZoom(Math.round(min), Math.round(max));
}

/** Dashed lines at the limits; with one series the forbidden area is tinted too. */
function drawLimits(plot: uPlot, series: readonly ChartSeries[], palette: Palette): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const one of series) {
    const lines = [
      [one.max, true],
      [one.min, false],
      ...(one.limits ?? []).map((limit) => [limit, undefined] as const),
    ] as const;
    for (const [limit, isHigh] of lines) {
      if (limit === null) continue;
      const y = plot.valToPos(limit, scaleOf(one), true);
      if (!Number.isFinite(y)) continue;
      if (series.length === 1 && isHigh !== undefined) {
        ctx.fillStyle = palette.limitArea;
        if (isHigh) ctx.fillRect(bbox.left, bbox.top, bbox.width, y - bbox.top);
        else ctx.fillRect(bbox.left, y, bbox.width, bbox.top + bbox.height - y);
      }
      ctx.strokeStyle = palette.limit;
      ctx.setLineDash([6, 4]);
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
    }
  }
  ctx.restore();
}
