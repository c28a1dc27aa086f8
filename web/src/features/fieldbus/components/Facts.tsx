import type { ReactElement, ReactNode } from 'react';
import classes from '../fieldbus.module.css';

export interface Fact {
  name: string;
  value: ReactNode;
}

/** Figures with their names. */
export function Facts({ facts, testId }: { facts: readonly Fact[]; testId: string }): ReactElement {
  return (
    <dl className={classes.facts} data-testid={testId}>
      {facts.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
