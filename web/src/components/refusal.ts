import i18next from 'i18next';
import { ApiError } from '@/api/errors';

/**
 * Words for the reason code of a refusal, out of 'refusal.<code>' of whichever feature has them; null when there is no
 * reason or nobody has words for it. Arguments of the reply, and further ones, fill the placeholders.
 */
export function refusalText(error: unknown, more: Readonly<Record<string, string | number>> = {}): string | null {
  if (!(error instanceof ApiError)) return null;
  return reasonText(error.facts.reason, { ...more, ...error.facts.args });
}

/** Words for a reason code itself. */
export function reasonText(reason: string, words: Readonly<Record<string, string | number>> = {}): string | null {
  if (reason === '') return null;
  const spaces = Object.keys(i18next.services?.resourceStore?.data[i18next.language] ?? {});
  const key = spaces.map((space) => `${space}:refusal.${reason}`).find((each) => i18next.exists(each));
  return key === undefined ? null : i18next.t(key, words);
}
