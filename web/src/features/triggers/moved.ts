import { ApiError } from '@/api/errors';
import type { TriggerBody, TriggerRow } from './api';

/** Somebody else's change of a trigger that is edited. changedMs: which one, UTC ms. */
export interface Moved {
  user: string;
  changedMs: number;
}

/** What a refusal says of it; null for another error. */
export function movedOf(error: unknown): Moved | null {
  if (!(error instanceof ApiError) || error.facts.reason !== 'trigger.moved') return null;
  const { user, changed_ms } = error.facts.args;
  return { user: String(user ?? ''), changedMs: Number(changed_ms) };
}

/** A body to be saved in place of what is there: rules that were removed meanwhile are new ones. */
export function over(body: TriggerBody, there: TriggerRow): TriggerBody {
  const known = new Set(there.rules.map(({ id }) => id));
  return { ...body, rules: body.rules.map((rule) => (known.has(rule.id) ? rule : { ...rule, id: null })) };
}
