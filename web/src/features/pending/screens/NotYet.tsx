import { IconClockHour4 } from '@tabler/icons-react';
import type { ComponentType, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import classes from '../pending.module.css';

/** The page of a screen that is still to be built: what it is called and what it will do, nothing that looks like data. */
export function notYet(name: string): ComponentType {
  return function NotYet(): ReactElement {
    const { t } = useTranslation();
    return (
      <section className={classes.notYet} data-testid="not-yet">
        <IconClockHour4 size={36} stroke={1.4} aria-hidden />
        <h1>{t(`pending:title.${name}`)}</h1>
        <p className={classes.badge}>{t('pending:badge')}</p>
        <p>{t(`pending:text.${name}`)}</p>
      </section>
    );
  };
}
