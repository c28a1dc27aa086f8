import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ToneText } from '@/components/Tone';
import { STEPS } from '../api';
import type { PlanDetail } from '../api';
import classes from '../firmware.module.css';

/** Why steps of a plan are off, beside their buttons. */
export function Hindrances({ plan: { hindrances } }: { plan: Pick<PlanDetail, 'hindrances'> }): ReactElement | null {
  const { t } = useTranslation();
  if (hindrances.length === 0) return null;
  return (
    <ul className={classes.hindrances} data-testid="plan-hindrances">
      {hindrances.map(({ code, actions }) => (
        <li key={code} data-hindrance={code}>
          <ToneText tone="warn">
            {t('firmware:stopped', {
              steps: STEPS.filter((step) => actions.includes(step))
                .map((step) => t(`firmware:step.${step}`))
                .join(t('firmware:listComma')),
              why: t(`firmware:hindrance.${code}`),
            })}
          </ToneText>
        </li>
      ))}
    </ul>
  );
}
