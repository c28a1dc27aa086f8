import { signOut } from '@/api/account';

/** Sign out; the page is loaded anew so that nothing of the user stays. */
export async function leave(): Promise<void> {
  try {
    await signOut();
  } finally {
    window.location.assign('/login');
  }
}
