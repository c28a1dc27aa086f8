/** A share as the cloud cut it: 100 % only when nothing is missing, '–' when nothing is known. */
export function shareText(percent: number | null): string {
  if (percent === null) return '–';
  if (percent === 100) return '100 %';
  const digits = percent >= 99.9 ? 3 : 2;
  return `${(Math.floor(percent * 10 ** digits + 1e-6) / 10 ** digits).toFixed(digits)} %`;
}
