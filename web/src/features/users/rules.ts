import type { RuleBody, RuleRow } from '@/api/generated/types.gen';

/** Without this permission nobody could take a rule back: no rule touches it. */
export const KEY_RULE = 'auth.Rule';

export type RuleDraft = { zh: string; en: string; types: string[]; enabled: boolean };

const texts = (types: readonly number[]): string[] => types.map(String);
const same = (a: readonly string[], b: readonly string[]): boolean => [...a].sort().join() === [...b].sort().join();

export function draftOfRule({ zh, en, types, enabled }: RuleRow): RuleDraft {
  return { zh, en, types: texts(types), enabled };
}

/** The draft of a permission that no rule touches. */
export function defaultDraft({ default_zh, default_en, default_types }: RuleRow): RuleDraft {
  return { zh: default_zh, en: default_en, types: texts(default_types), enabled: true };
}

/** Does the draft say something else than the permission without a rule? */
export function isTouched(draft: RuleDraft, row: RuleRow): boolean {
  const { zh, en, types, enabled } = ruleOf(draft, row);
  return zh !== null || en !== null || types !== null || !enabled;
}

/** The rule to keep: null stands for what the permission has without one. */
export function ruleOf(draft: RuleDraft, row: RuleRow): RuleBody & { enabled: boolean } {
  const name = (typed: string, own: string): string | null => (typed.trim() === own ? null : typed.trim());
  return {
    zh: name(draft.zh, row.default_zh),
    en: name(draft.en, row.default_en),
    types: same(draft.types, texts(row.default_types)) ? null : draft.types.map(Number).sort(),
    enabled: draft.enabled,
  };
}
