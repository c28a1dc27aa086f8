import type { ReactElement } from 'react';
import { formatDateTime } from '@/lib/time';
import classes from '../events.module.css';

/** UTC ms; null for what has not happened. */
export function momentText(ms: number | null): string {
  return ms === null ? '–' : formatDateTime(ms);
}

/** A moment in one line. */
export function Moment({ ms }: { ms: number | null }): ReactElement {
  return <span className={`${classes.moment} number`}>{momentText(ms)}</span>;
}
