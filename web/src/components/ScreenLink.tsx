import type { ReactElement } from 'react';
import { useScreenLink } from '@/lib/navigation';
import { mayOpen, screenAt } from '@/lib/screens';
import { useAccess } from '@/lib/session';

interface Props {
  /** Of the screen's record. */
  path: string;
  search?: Record<string, string | number | undefined>;
  className?: string;
  title?: string;
  children: string;
  'data-testid'?: string;
}

/** A text that leads to a screen, for who may open it; for others the text alone. */
export function ScreenLink({ path, search, children, ...rest }: Props): ReactElement {
  const access = useAccess();
  const link = useScreenLink(path, search);
  const screen = screenAt(path);
  if (screen === undefined || !mayOpen(screen, access)) return <>{children}</>;
  return (
    <a {...rest} {...link}>
      {children}
    </a>
  );
}
