import { useEffect } from 'react';
import { freshToken } from '@/api/http';
import { keepFresh } from '@/lib/keepFresh';
import { session } from '@/lib/session';

/** While a wall screen is shown its session does not end. */
export function useKeepFresh(on: boolean): void {
  useEffect(() => {
    if (!on) return undefined;
    return keepFresh({
      endsAtMs: () => session.getState().tokens?.expiresAtMs ?? null,
      refresh: freshToken,
      now: Date.now,
      after: (ms, work) => {
        const timer = setTimeout(work, ms);
        return () => clearTimeout(timer);
      },
    });
  }, [on]);
}
