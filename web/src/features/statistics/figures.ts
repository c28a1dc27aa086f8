/** 0.99987 as '99.98 %': cut, never rounded up, so that 100 % is the whole of it. */
export function percent(share: number | null): string {
  return share === null ? '-' : `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`;
}

/** The height that fills a chart: its highest bar, at least 1. */
export function highest(values: readonly number[]): number {
  return values.reduce((top, value) => Math.max(top, value), 1);
}

/** Where a key leads from one of so many places; null when it leads nowhere. */
export function stepTo(key: string, at: number, count: number): number | null {
  const steps: Readonly<Record<string, number>> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: count - 1, PageUp: at - 7, PageDown: at + 7 };
  const next = steps[key];
  return next === undefined || count === 0 ? null : Math.max(0, Math.min(count - 1, next));
}
