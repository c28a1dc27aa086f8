/** A value of a field as text; null where the field is absent. */
export function valueText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value === '' ? '""' : value;
  return JSON.stringify(value);
}
