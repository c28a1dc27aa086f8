/** A share as the cloud cut it, never rounded up: 100 only when nothing is missing. */
export function percentText(percent: number | null): string {
  if (percent === null) return '–';
  return percent === 100 ? '100 %' : `${(Math.floor(percent * 1000 + 1e-6) / 1000).toFixed(3)} %`;
}
