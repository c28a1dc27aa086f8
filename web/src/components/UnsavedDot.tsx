import type { ReactElement } from 'react';
import classes from './tree.module.css';

/** At a line of a tree: what it stands for has changes that are not saved. Leaves the name its room. */
export function UnsavedDot({ words }: { words: string }): ReactElement {
  return <span role="img" className={classes.unsaved} aria-label={words} title={words} data-testid="tree-unsaved" />;
}
