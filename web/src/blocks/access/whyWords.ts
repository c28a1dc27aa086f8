import i18next from 'i18next';
import type { WhyReason } from '@/api/generated/types.gen';

/** A reason of the cloud's answer to "why may he (not)" in the user's language; user types and switches by their names. */
export function whyWords({ code, args }: WhyReason): string {
  const words = { ...args };
  if (args.user_type !== undefined) words.user_type = i18next.t(`base:userType.${args.user_type}`);
  if (args.flag !== undefined) words.flag = i18next.t(`base:flag.${args.flag}`);
  return i18next.t(`base:why.${code}`, words);
}
