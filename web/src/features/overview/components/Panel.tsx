import type { ReactElement, ReactNode } from 'react';
import { useScreenLink } from '@/lib/navigation';
import { mayOpen, screenAt } from '@/lib/screens';
import { useAccess } from '@/lib/session';
import classes from '../overview.module.css';

interface All {
  path: string;
  search?: Record<string, string | number | undefined>;
  text: string;
}

interface Props {
  name: string;
  title: string;
  /** Where the whole of it is. */
  all?: All;
  children: ReactNode;
}

/** A part of the page with its heading, and the way to the list of it. */
export function Panel({ name, title, all, children }: Props): ReactElement {
  return (
    <section className={classes.panel} aria-label={title} data-part={name} data-testid={`overview-${name}`}>
      <div className={classes.head}>
        <h2>{title}</h2>
        {all === undefined ? null : <AllLink name={name} {...all} />}
      </div>
      {children}
    </section>
  );
}

/** For who may open the list. */
function AllLink({ name, path, search, text }: All & { name: string }): ReactElement | null {
  const link = useScreenLink(path, search);
  const access = useAccess();
  const screen = screenAt(path);
  if (screen === undefined || !mayOpen(screen, access)) return null;
  return (
    <a className={classes.all} data-testid={`all-${name}`} {...link}>
      {text}
    </a>
  );
}
