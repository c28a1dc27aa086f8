import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './states.module.css';

interface Props {
  /** What stands inside answers the question before: another period, another page. */
  isOld: boolean;
  /** Something is asked for, be it the same anew. */
  isBusy?: boolean;
  children: ReactNode;
}

/** The answer to the previous question while the next one is loading: dimmed, and said to be the previous one. */
export function PreviousData({ isOld, isBusy = isOld, children }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <div className={classes.previous} aria-busy={isBusy} data-old={isOld || undefined}>
      {isOld ? (
        <p className={classes.previousNote} role="status">
          {t('base:previousData')}
        </p>
      ) : null}
      {children}
    </div>
  );
}
