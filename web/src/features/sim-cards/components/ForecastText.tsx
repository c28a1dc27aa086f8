import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import page from '@/components/page.module.css';
import { ToneText } from '@/components/Tone';
import type { Forecast } from '../api';

/** When the data plan is used up and how sure that is, or why nobody can say. */
export function ForecastText({ forecast }: { forecast: Forecast }): ReactElement {
  const { t } = useTranslation();
  const { reason = '', earliest = null, expected = null, latest = null } = forecast;
  if (reason !== '')
    return <span title={t(`sim-cards:forecast.why.${reason}`)}>{t(`sim-cards:forecast.short.${reason}`)}</span>;
  if (expected === null && earliest === null) return <ToneText tone="ok">{t('sim-cards:forecast.lasts')}</ToneText>;
  const range =
    earliest === expected && expected === latest
      ? null
      : t('sim-cards:forecast.between', { from: earliest, to: latest ?? t('sim-cards:forecast.later') });
  return (
    <span>
      <ToneText tone={expected === null ? 'info' : 'warn'}>
        {expected === null ? t('sim-cards:forecast.likelyLasts') : t('sim-cards:forecast.until', { day: expected })}
      </ToneText>
      {range === null ? null : <span className={page.sub}>{range}</span>}
    </span>
  );
}
