import i18next from 'i18next';
import { getAuthList, getUserInfo } from '@/api/account';
import { ApiError, presentation } from '@/api/errors';
import { getPlatform } from '@/api/platform';
import { showError, showNotice } from '@/components/notices';
import { forgetSession, session } from '@/lib/session';

let loading: Promise<void> | null = null;

/** User, permissions and platform of the session; loaded once. Throws what the calls throw. */
export async function loadUser(): Promise<void> {
  if (session.getState().user !== null) return;
  loading ??= load().finally(() => {
    loading = null;
  });
  await loading;
}

async function load(): Promise<void> {
  const [user, permissions, platform] = await Promise.all([getUserInfo(), getAuthList(), getPlatform()]);
  session.setState({ user, permissions, platform });
}

/** The cloud answered, and the answer is no. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.facts.cause === 'reply' && (error.facts.status ?? 0) < 500;
}

/** The session is of no use: end it, with the cloud's words where it has some. */
export function refused(error: unknown): void {
  forgetSession();
  if (presentation(error).kind === 'text') showError(error);
  else showNotice(i18next.t('base:error.verification'));
}
