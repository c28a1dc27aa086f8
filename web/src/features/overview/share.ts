/** A share as the cloud cut it: 100 % only when nothing is missing, '–' when nothing is known. */
export function shareText(percent: number | null): string {
  if (percent === null) return '–';
  return `${percent === 100 ? '100' : percent.toFixed(percent >= 99.9 ? 3 : 2)} %`;
}
