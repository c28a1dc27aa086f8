/** Bytes of a MB, as operators bill it. */
export const MIB = 1_048_576;
export const GIB = 1024 * MIB;

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** '1.5 GB': two decimals below 10, one below 100. */
export function dataText(bytes: number): string {
  let value = Math.abs(bytes);
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const decimals = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  const text = String(Number(value.toFixed(decimals)));
  return `${bytes < 0 ? '-' : ''}${text} ${UNITS[unit]}`;
}

/** 1/100 of the currency with two decimals. */
export function moneyText(fen: number): string {
  return (fen / 100).toFixed(2);
}

/** Begin of a calendar day in the browser, UTC ms; null for none. */
export function dayMs(day: string | null | undefined): number | null {
  if (day === null || day === undefined || day === '') return null;
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date).getTime();
}
