import { useCallback, useContext, useEffect, useState } from 'react';
import { TabContext } from '@/lib/tab';
import { unsaved } from '@/lib/unsaved';

interface Options {
  /** The draft is held outside of the page and is there again when the page is opened anew. */
  persisted?: boolean;
}

/**
 * Something was entered and is not saved: the page's tab, the browser and the sign-out ask before it is lost, also while the page is
 * behind another one. Every form and sheet calls this; useApiForm does it for its own. Returns what ends it at once, for who saved
 * or gave up and goes on to another address.
 */
export function useUnsavedChanges(isDirty: boolean, { persisted = false }: Options = {}): () => void {
  const tab = useContext(TabContext)?.id ?? '';
  const [key] = useState(() => Symbol('unsaved'));
  useEffect(() => {
    if (!isDirty) return unsaved.drop(key);
    unsaved.note(key, { tab, persisted });
    return () => unsaved.ended(key);
  }, [isDirty, tab, key, persisted]);
  return useCallback(() => unsaved.drop(key), [key]);
}
