import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Completeness } from '../api';
import classes from '../evidence.module.css';
import { percentText, toneOf } from '../strip';
import { useEvidenceWords } from './useWords';

/** One number for the period, and what it is made of. */
export function Summary({ data }: { data: Completeness }): ReactElement {
  const { t } = useTranslation();
  const words = useEvidenceWords();
  return (
    <div className={classes.summary}>
      <div className={classes.share}>
        <div className={classes.percent} data-tone={toneOf(data)} data-testid="completeness-percent">
          {percentText(data.percent)}
        </div>
        <div className={classes.hint}>{t('evidence:share')}</div>
      </div>
      <dl className={classes.counts}>
        <Count name={t('evidence:count.received')} note={t('evidence:samples', { count: data.samples })}>
          {data.received}
        </Count>
        <Count name={t('evidence:count.late')} note={t('evidence:samples', { count: data.late_samples })}>
          {data.late}
        </Count>
        <Count name={t('evidence:count.duplicates')} note={t('evidence:duplicatesNote')}>
          {data.duplicates}
        </Count>
        <Count name={t('evidence:count.missing')} note={words.missing(data.reasons)}>
          {data.missing}
        </Count>
        <Count name={t('evidence:count.dropped')} note={data.dropped_samples === 0 ? '' : t('evidence:droppedNote')}>
          {data.dropped_samples}
        </Count>
      </dl>
    </div>
  );
}

function Count({ name, note, children }: { name: string; note: string; children: ReactNode }): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children}
        {note === '' ? null : <span className={classes.sub}>{note}</span>}
      </dd>
    </div>
  );
}
