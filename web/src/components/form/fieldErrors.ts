import type { ApiError } from '@/api/errors';

/** Where the cloud's validation begins the name of a field. */
const PLACES = /^(?:body|query|path)\./;

/** Other names of the API's fields in a form, by name, or by path: null for one that no input has. */
export type FieldNames = Readonly<Record<string, string>> | ((path: string) => string | null);

/**
 * The form's field that a refusal names; null when it names none of them. Parts of a field (permissions.0) belong to it,
 * unless `names` is a function.
 */
export function fieldOf(error: ApiError, fields: readonly string[], names: FieldNames = {}): string | null {
  const path = error.facts.field.replace(PLACES, '');
  if (typeof names === 'function') return names(path);
  const wanted = names[path] ?? path;
  if (fields.includes(wanted)) return wanted;
  const parent = wanted.split('.')[0] ?? '';
  return fields.includes(parent) && parent !== '' ? parent : null;
}
