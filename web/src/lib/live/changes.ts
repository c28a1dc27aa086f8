import type { LastValue, PointValue } from '../quality';

function heldOf({ value, held }: LastValue): PointValue {
  return value ?? held ?? null;
}

/** Is it another value than the last one that is known? One that is read again after a silence or a restart is not. */
export function isChange(known: LastValue | undefined, next: LastValue): boolean {
  const before = known === undefined ? null : heldOf(known);
  return before !== null && next.value !== null && before !== next.value;
}

/** A value with the time of its last change, as it is told or as it follows from the one that was known before. */
export function followed(known: LastValue | undefined, next: LastValue): LastValue {
  if (known === undefined) return next;
  const before = heldOf(known);
  const held = next.value ?? before;
  if (isChange(known, next)) return { ...next, held, changed_ms: next.changed_ms ?? next.t_ms };
  const stays = before === held ? known.changed_ms : null;
  return { ...next, held, changed_ms: next.changed_ms ?? stays ?? null };
}
