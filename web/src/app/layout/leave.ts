import { signOut } from '@/api/account';
import { ApiError } from '@/api/errors';
import { forgetSession } from '@/lib/session';

/** Sign out here even when the cloud cannot be told; the page is loaded anew so that nothing of the user stays. */
export async function leave(): Promise<void> {
  try {
    await signOut();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  } finally {
    forgetSession();
    window.location.assign('/login');
  }
}
