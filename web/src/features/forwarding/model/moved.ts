import { COMMON, formOf } from './form';
import type { FormField, Row } from './form';
import { OPTION, valuesOf } from './values';
import type { Values } from './values';

/** Somebody else's change of a target that is edited. author: '' when it is not known for sure. */
export interface Moved {
  author: string;
  /** The version of it. */
  base: string | null;
  /** Names of what changed, as the cloud compared it: of secrets only this is seen. */
  changed: readonly string[];
  /** The target in it; null when it was removed or renamed. */
  theirs: Row | null;
}

/** A field that somebody else changed. */
export interface Difference {
  field: FormField;
  before: unknown;
  theirs: unknown;
  mine: unknown;
  /** Changed here too, to something else. */
  isMineToo: boolean;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What somebody else changed, in the order of the form. before: the target as this edit began; changed: as Moved has it. */
export function differences(
  kind: string,
  before: Row,
  theirs: Row,
  mine: Values,
  changed: readonly string[] = [],
): readonly Difference[] {
  const was = valuesOf(kind, before);
  const now = valuesOf(kind, theirs);
  return [
    ...COMMON.map((field) => ({ field, path: field.name })),
    ...(formOf(kind)?.fields ?? []).map((field) => ({ field, path: OPTION + field.name })),
  ].flatMap(({ field, path }) => {
    const isSecretMoved = field.secret === true && changed.includes(`options.${field.name}`);
    if (isSame(was[path], now[path]) && !isSecretMoved) return [];
    const isMineToo = !isSame(mine[path], was[path]) && !isSame(mine[path], now[path]);
    return [{ field, before: was[path], theirs: now[path], mine: mine[path], isMineToo }];
  });
}

/** Theirs, with what was entered here on top. */
export function merged(kind: string, before: Row, theirs: Row, mine: Values): Values {
  const was = valuesOf(kind, before);
  const now = valuesOf(kind, theirs);
  return Object.fromEntries(
    Object.entries(mine).map(([path, value]) => [path, isSame(value, was[path]) ? now[path] : value]),
  );
}
