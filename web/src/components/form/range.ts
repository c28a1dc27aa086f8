import i18next from 'i18next';

/** What a field holds once it is left: a float or nothing. A number too large for a float stays as it was typed, so that it is told. */
export function floatOf(value: number | string | undefined): number | string {
  if (typeof value !== 'string' || value === '') return value ?? '';
  const float = Number(value);
  if (!Number.isFinite(float)) return '';
  return Math.abs(float) > Number.MAX_SAFE_INTEGER ? value : float;
}

/** Words for a number that is beyond its limits; null for one that is good, and for an empty field. */
export function rangeText(value: unknown, min: number | undefined, max: number | undefined): string | null {
  if (value === '' || value === null || value === undefined) return null;
  const number = Number(value);
  if (number >= (min ?? -Infinity) && number <= (max ?? Infinity)) return null;
  if (max === undefined) return i18next.t('base:rule.atLeast', { limit: min });
  return min === undefined
    ? i18next.t('base:rule.atMost', { limit: max })
    : i18next.t('base:point.fault.range', { min, max });
}
