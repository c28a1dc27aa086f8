import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ToneText } from '@/components/Tone';
import type { PlanDetail, WaveRow } from '../api';
import classes from '../firmware.module.css';
import { countParts, waveFacts } from '../steps';
import type { WaveFacts } from '../steps';
import { StepBar } from './StepBar';

interface Props {
  plan: PlanDetail;
  /** Number of the wave that the table of gateways shows alone; '' for all. */
  chosen: string;
  onChoose: (wave: string) => void;
}

const TONES = {
  done: 'ok',
  over: 'warn',
  current: 'info',
  paused: 'warn',
  stopped: 'off',
  cancelled: 'off',
  later: 'off',
} as const;

/** Waves with what each needs and stands, and which one is under way. */
export function WaveTable({ plan, chosen, onChoose }: Props): ReactElement {
  const { t } = useTranslation();
  const { success_share = 1, error_share = 0 } = plan.rules;
  const facts = (wave: WaveRow): WaveFacts =>
    waveFacts(wave, {
      current: plan.wave,
      state: plan.state,
      successShare: success_share,
      errorShare: error_share,
    });
  return (
    <section className={classes.panel} aria-label={t('firmware:wave.title')}>
      <h2 className={classes.section}>{t('firmware:wave.title')}</h2>
      <div
        className={classes.scroll}
        style={{ marginTop: 8 }}
        tabIndex={0}
        role="group"
        aria-label={t('firmware:wave.title')}
      >
        <table className={`${classes.table} ${classes.waves}`} data-testid="plan-waves">
          <thead>
            <tr>
              <th>{t('firmware:wave.number')}</th>
              <th>{t('firmware:field.state')}</th>
              <th>{t('firmware:field.gateways')}</th>
              <th>{t('firmware:wave.succeeded')}</th>
              <th>{t('firmware:wave.failed')}</th>
            </tr>
          </thead>
          <tbody>
            {plan.waves.map((wave) => (
              <Wave
                key={wave.number}
                wave={wave}
                facts={facts(wave)}
                isBack={plan.is_back}
                isChosen={chosen === String(wave.number)}
                onChoose={onChoose}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Wave({
  wave,
  facts,
  isBack,
  isChosen,
  onChoose,
}: {
  wave: WaveRow;
  facts: WaveFacts;
  isBack: boolean;
  isChosen: boolean;
  onChoose: (wave: string) => void;
}): ReactElement {
  const { t } = useTranslation();
  const { number, total = 0, succeeded = 0, failed = 0 } = wave;
  return (
    <tr data-place={facts.place} data-wave={number}>
      <th scope="row">
        <button
          type="button"
          className={classes.pick}
          aria-pressed={isChosen}
          onClick={() => onChoose(isChosen ? '' : String(number))}
        >
          {number === 0 && !isBack ? t('firmware:wave.canary') : t('firmware:wave.name', { number: number + 1 })}
        </button>
      </th>
      <td>
        <ToneText tone={TONES[facts.place]}>{t(`firmware:wave.place.${facts.place}`)}</ToneText>
      </td>
      <td>
        <StepBar small parts={countParts(wave)} />
        <span className={classes.sub}>{t('firmware:wave.total', { count: total })}</span>
      </td>
      <td className="number" data-label={t('firmware:wave.succeeded')}>
        {succeeded}
        <span className={classes.sub}>{t('firmware:wave.needed', { count: facts.needed })}</span>
      </td>
      <td className="number" data-label={t('firmware:wave.failed')}>
        {failed}
        <span className={classes.sub}>{t('firmware:wave.allowed', { count: facts.allowed })}</span>
      </td>
    </tr>
  );
}
