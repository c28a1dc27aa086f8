import { getAuthList, getUserInfo } from '@/api/account';
import { session } from '@/lib/session';

let loading: Promise<void> | null = null;

/** User and permissions of the session; loaded once. Throws what the calls throw. */
export async function loadUser(): Promise<void> {
  if (session.getState().user !== null) return;
  loading ??= load().finally(() => {
    loading = null;
  });
  await loading;
}

async function load(): Promise<void> {
  const [user, permissions] = await Promise.all([getUserInfo(), getAuthList()]);
  session.setState({ user, permissions });
}
