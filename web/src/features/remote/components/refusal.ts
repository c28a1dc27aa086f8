import { ApiError } from '@/api/errors';
import { errorText } from '@/components/notices';

/** Key and holder when a call was refused because somebody else was first; otherwise the error's own text. */
export function refusalOf(error: unknown): { key: string; user: string } | string {
  if (!(error instanceof ApiError) || error.facts.status !== 409) return errorText(error);
  if (error.facts.rule === 'must be online') return { key: 'remote:refused.offline', user: '' };
  const holder = /held by (.+)$/.exec(error.facts.msg)?.[1];
  if (error.facts.rule === 'busy') return { key: holder === undefined ? 'remote:refused.busy' : 'remote:refused.heldBy', user: holder ?? '' };
  return errorText(error);
}
