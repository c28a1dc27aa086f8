import type { ReactElement } from 'react';
import { useServerNow } from '@/components/useNow';
import { formatDateTime } from '@/lib/time';
import { CLOCK_MS } from './clockPeriod';
import classes from './fullscreen.module.css';

/** Date and time on the cloud's clock, every second. */
export function Clock(): ReactElement {
  const now = useServerNow(CLOCK_MS);
  return (
    <time className={`${classes.clock} number`} dateTime={new Date(now).toISOString()} data-testid="wall-clock">
      {formatDateTime(now)}
    </time>
  );
}
