import { signOut } from '@/api/account';
import { unsaved } from '@/lib/unsaved';
import { forgetTabs } from '../savedTabs';

/** Sign out, after a question when that loses something; the page is loaded anew so that nothing of the user stays. */
export async function leave(): Promise<void> {
  if (unsaved.isAny() && !(await unsaved.ask([]))) return;
  unsaved.leave();
  forgetTabs();
  try {
    await signOut();
  } finally {
    window.location.assign('/login');
  }
}
