import { useEffect } from 'react';
import { freshToken } from '@/api/http';
import { startLive } from '@/lib/live';
import { useSession } from '@/lib/session';
import { askAgainWhenBack } from '../queryClient';

/** The live connection stands while somebody is signed in; a sign-out in another tab ends this page too. */
export function useLiveWhileSignedIn(): void {
  const signedIn = useSession((state) => state.tokens !== null);
  useEffect(askAgainWhenBack, []);
  useEffect(() => {
    if (signedIn) return startLive(freshToken);
    window.location.assign('/login');
    return undefined;
  }, [signedIn]);
}
