import type { ReactElement } from 'react';
import classes from '../forwarding.module.css';

/** Why, in the words of the target or of the gateway. */
export function Reason({ text }: { text: string }): ReactElement {
  return <span className={classes.reason}>{text || '–'}</span>;
}
