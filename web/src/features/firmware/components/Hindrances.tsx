import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ToneText } from '@/components/Tone';
import { STEPS } from '../api';
import type { PlanDetail, PlanHindrance } from '../api';
import classes from '../firmware.module.css';

/** Nothing that anybody would mend. */
const NOTHING_TO_DO: ReadonlySet<PlanHindrance['code']> = new Set(['nobody_more', 'nothing_failed', 'nothing_moved']);

/** Why steps of a plan are off, beside their buttons. */
export function Hindrances({ plan: { hindrances } }: { plan: Pick<PlanDetail, 'hindrances'> }): ReactElement | null {
  const { t } = useTranslation();
  if (hindrances.length === 0) return null;
  return (
    <ul className={classes.hindrances} data-testid="plan-hindrances">
      {hindrances.map(({ code, actions }) => (
        <li key={code} data-hindrance={code}>
          <ToneText tone={NOTHING_TO_DO.has(code) ? 'off' : 'warn'}>
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
