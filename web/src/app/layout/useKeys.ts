import { useEffect } from 'react';
import { useGo } from '@/lib/navigation';
import { mayOpen, screenAt } from '@/lib/screens';
import { useAccess } from '@/lib/session';
import { GO_KEYS, GO_TIMEOUT_MS, isShortcut, searchField } from './keys';
import { useOverlay } from './overlay';

/** Addresses that 'g' and a letter lead this user to. */
export function useGoKeys(): typeof GO_KEYS {
  const access = useAccess();
  return GO_KEYS.filter(([, path]) => {
    const screen = screenAt(path);
    return screen !== undefined && screen.pending !== true && mayOpen(screen, access);
  });
}

/** '?' lists the keys, '/' goes to the search field, 'g' and a letter to a screen; not while something is typed. */
export function useKeys(): void {
  const go = useGo();
  const keys = useGoKeys();
  const show = useOverlay((state) => state.show);
  useEffect(() => {
    let goneMs = -Infinity;
    const onKey = (event: KeyboardEvent): void => {
      if (!isShortcut(event)) return;
      const after = event.timeStamp - goneMs <= GO_TIMEOUT_MS;
      goneMs = -Infinity;
      const path = after ? keys.find(([letter]) => letter === event.key)?.[1] : undefined;
      const field = event.key === '/' ? searchField() : null;
      if (path !== undefined) go(path);
      else if (event.key === '?') show('keys');
      else if (field !== null) field.select();
      else {
        if (event.key === 'g') goneMs = event.timeStamp;
        return;
      }
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [go, keys, show]);
}
