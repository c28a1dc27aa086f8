import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { usePerm } from '@/components/permission';
import classes from '../overview.module.css';
import { WaysIn } from './WaysIn';

/** For an installation without gateways: three steps to the first value. */
export function FirstSteps(): ReactElement {
  const { t } = useTranslation();
  const may = usePerm('Device/save');
  const steps = may ? (['add', 'configure', 'watch'] as const) : (['ask', 'bind', 'watch'] as const);
  return (
    <section className={classes.panel} aria-label={t('overview:first.title')} data-testid="first-steps">
      <div className={classes.head}>
        <h2>{t('overview:first.title')}</h2>
      </div>
      <ol className={classes.steps}>
        {steps.map((step) => (
          <li key={step}>
            <strong>{t(`overview:first.${step}`)}</strong>
            <span className={classes.note}>{t(`overview:first.${step}Text`)}</span>
          </li>
        ))}
      </ol>
      <div className={classes.foot}>
        <WaysIn />
      </div>
    </section>
  );
}
