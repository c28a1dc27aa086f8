import { useCallback, useEffect, useState } from 'react';
import { copyText } from './clipboard';

/** How long 'copied' is shown, by specification. */
export const COPIED_MS = 1500;

export type CopyState = 'ready' | 'done' | 'failed';

/** Copies a text; state says for COPIED_MS whether it worked. copy resolves to whether it did. */
export function useCopied(): { state: CopyState; copy: (text: string) => Promise<boolean> } {
  const [status, setStatus] = useState<{ state: CopyState }>({ state: 'ready' });
  useEffect(() => {
    if (status.state === 'ready') return undefined;
    const timer = setTimeout(() => setStatus({ state: 'ready' }), COPIED_MS);
    return () => clearTimeout(timer);
  }, [status]);
  const copy = useCallback(async (text: string): Promise<boolean> => {
    const isDone = await copyText(text);
    setStatus({ state: isDone ? 'done' : 'failed' });
    return isDone;
  }, []);
  return { state: status.state, copy };
}
