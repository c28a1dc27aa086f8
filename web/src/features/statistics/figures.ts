/** 0.99987 as '99.98 %': cut, never rounded up, so that 100 % is the whole of it. */
export function percent(share: number | null): string {
  return share === null ? '-' : `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`;
}

const UNITS = [
  { unit: 'd', ms: 86_400_000 },
  { unit: 'h', ms: 3_600_000 },
  { unit: 'min', ms: 60_000 },
  { unit: 's', ms: 1_000 },
] as const;

/** A sum of time in its two largest units, whole seconds at least: 3 d 4 h, 12 min, 0 s. */
export function spanParts(ms: number): { unit: (typeof UNITS)[number]['unit']; count: number }[] {
  const first = UNITS.findIndex((each) => ms >= each.ms);
  if (first < 0) return [{ unit: 's', count: 0 }];
  let left = ms;
  const parts = UNITS.slice(first, first + 2).map((each) => {
    const count = Math.floor(left / each.ms);
    left -= count * each.ms;
    return { unit: each.unit, count };
  });
  return parts.filter(({ count }, place) => place === 0 || count > 0);
}

/** The height that fills a chart: its highest bar, at least 1. */
export function highest(values: readonly number[]): number {
  return values.reduce((top, value) => Math.max(top, value), 1);
}

/** Where a key leads from one of so many places; null when it leads nowhere. */
export function stepTo(key: string, at: number, count: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    Home: 0,
    End: count - 1,
    PageUp: at - 7,
    PageDown: at + 7,
  };
  const next = steps[key];
  return next === undefined || count === 0 ? null : Math.max(0, Math.min(count - 1, next));
}
