import type { ChartSeries } from '@/charts/series';
import { dayMs, GIB, MIB } from './amounts';
import type { CardRow, UsageDay } from './api';

const DAY_MS = 86_400_000;

export interface UsageChart {
  series: readonly ChartSeries[];
  min: number;
  max: number;
}

interface Words {
  counted: string;
  billed: string;
}

/** Sums since the billing period began (without one: of the days that there are), each at the end of its day. */
export function usageChart(days: readonly UsageDay[], card: CardRow, words: Words): UsageChart | null {
  const begin = dayMs(card.billing_begin);
  const end = dayMs(card.billing_end);
  const within = days.flatMap((each) => {
    const at = dayMs(each.day);
    const isIn = at !== null && (begin === null || at >= begin) && (end === null || at <= end);
    return isIn ? [{ ...each, at: at + DAY_MS }] : [];
  });
  const first = within[0];
  if (first === undefined) return null;
  const counted: { t: number; bytes: number }[] = [];
  let sum = 0;
  for (const { at, received, sent } of within) {
    if (received === null && sent === null) continue;
    sum += (received ?? 0) + (sent ?? 0);
    counted.push({ t: at, bytes: sum });
  }
  const billed = within.flatMap(({ at, billed_bytes }) =>
    billed_bytes === null ? [] : [{ t: at, bytes: billed_bytes }],
  );
  const plan = begin === null ? null : (card.plan_bytes ?? null);
  const top = Math.max(plan ?? 0, ...counted.map(({ bytes }) => bytes), ...billed.map(({ bytes }) => bytes));
  const [unit, size] = top >= GIB ? (['GB', GIB] as const) : (['MB', MIB] as const);
  const line = (id: number, label: string, points: readonly { t: number; bytes: number }[]): ChartSeries => ({
    id,
    label,
    unit,
    decimals: 2,
    t: points.map(({ t }) => t),
    y: points.map(({ bytes }) => bytes / size),
    stepped: false,
    gapMs: Infinity,
    min: null,
    max: plan === null ? null : plan / size,
  });
  const series = [line(1, words.counted, counted), line(2, words.billed, billed)].filter(({ t }) => t.length > 0);
  if (series.length === 0) return null;
  return { series, min: begin ?? first.at - DAY_MS, max: within.at(-1)?.at ?? first.at };
}
