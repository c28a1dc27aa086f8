import { useRouter } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { MouseEvent } from 'react';
import { stringifySearch } from './screens';

type Search = Record<string, string | number | undefined>;

/** Only addresses of this portal are followed. */
export function isInside(target: string | null | undefined): target is string {
  const here = 'http://portal.invalid';
  if (typeof target !== 'string' || !target.startsWith('/') || !URL.canParse(target, here)) return false;
  const { origin, pathname } = new URL(target, here);
  return origin === here && !pathname.startsWith('//');
}

/** Go to a screen by its path. */
export function useGo(): (path: string, search?: Search, how?: { replace?: boolean }) => void {
  const router = useRouter();
  return useCallback(
    (path, search = {}, how = {}) => {
      void router.navigate({ href: `${path}${stringifySearch(search)}`, replace: how.replace ?? false } as never);
    },
    [router],
  );
}

/** Props of a real link (copy, middle click, new tab) that is followed without a page load. */
export function useScreenLink(
  path: string,
  search: Search = {},
): { href: string; onClick: (event: MouseEvent) => void } {
  const go = useGo();
  const href = `${path}${stringifySearch(search)}`;
  return useMemo(
    () => ({
      href,
      onClick: (event: MouseEvent) => {
        if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        const [to = '', query = ''] = href.split('?');
        go(to, Object.fromEntries(new URLSearchParams(query)));
      },
    }),
    [go, href],
  );
}
