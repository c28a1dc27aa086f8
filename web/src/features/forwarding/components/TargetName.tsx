import type { ReactElement } from 'react';
import type { TargetRow } from '../api';
import classes from '../forwarding.module.css';
import { useTargetWords } from './useTargetWords';

/** Name of a target, and of what kind it is. */
export function TargetName({ ledger }: { ledger: TargetRow }): ReactElement {
  const { kind } = useTargetWords();
  return (
    <span>
      {ledger.name}
      <span className={classes.sub}>{kind(ledger.kind)}</span>
    </span>
  );
}
