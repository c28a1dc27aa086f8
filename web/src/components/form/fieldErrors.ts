import type { ApiError } from '@/api/errors';

/** Where the cloud's validation begins the name of a field. */
const PLACES = /^(?:body|query|path)\./;

/**
 * The form's field that a refusal names; null when it names none of them. names: fields of the API that have another
 * name in the form. Parts of a field (permissions.0) belong to it.
 */
export function fieldOf(
  error: ApiError,
  fields: readonly string[],
  names: Readonly<Record<string, string>> = {},
): string | null {
  const path = error.facts.field.replace(PLACES, '');
  const wanted = names[path] ?? path;
  if (fields.includes(wanted)) return wanted;
  const parent = wanted.split('.')[0] ?? '';
  return fields.includes(parent) && parent !== '' ? parent : null;
}
