import type { MouseEvent } from 'react';
import { useScreenLink } from '@/lib/navigation';
import type { Screen } from '@/lib/screens';
import { useSession } from '@/lib/session';

interface Entry {
  href: string;
  target?: '_blank';
  rel?: string;
  onClick?: (event: MouseEvent) => void;
}

/** Props of the link behind a menu entry; one that leads outside opens its own window. */
export function useEntry(screen: Screen): Entry {
  const link = useScreenLink(screen.path);
  const address = useSession(({ platform }) =>
    screen.external === undefined ? undefined : platform.links[screen.external],
  );
  return address === undefined ? link : { href: address, target: '_blank', rel: 'noopener noreferrer' };
}
