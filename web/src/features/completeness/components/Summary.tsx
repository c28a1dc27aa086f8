import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { percentText } from '@/lib/percent';
import { formatDateTime } from '@/lib/time';
import type { Completeness } from '../api';
import classes from '../completeness.module.css';
import { isUnknown, readsTone, transportTone } from '../strip';
import { useCollectionWords } from './useCollectionWords';
import { useCompletenessWords } from './useCompletenessWords';

/** Two numbers for the period, what was read and what arrived of it, and what they are made of. */
export function Summary({ data }: { data: Completeness }): ReactElement {
  const { t } = useTranslation();
  const words = useCompletenessWords();
  const { why, missed } = useCollectionWords();
  const { collection } = data;
  return (
    <div className={classes.summary}>
      <div className={classes.share}>
        <h3>{t('completeness:collection.title')}</h3>
        <div
          className={classes.percent}
          data-tone={readsTone(collection)}
          data-testid="collection-percent"
          title={t('completeness:collection.share')}
        >
          {percentText(collection.percent)}
        </div>
        <div className={classes.hint}>
          {collection.percent === null ? why(collection) : t('completeness:collection.share')}
        </div>
        {collection.percent === null || !isUnknown(collection) ? null : (
          <div className={classes.hint} data-testid="reads-unknown">
            {t('completeness:collection.partlyUnknown')}
          </div>
        )}
        {collection.since_ms === null ? null : (
          <div className={classes.hint}>
            {t('completeness:collection.since', { time: formatDateTime(collection.since_ms) })}
          </div>
        )}
      </div>
      <div className={classes.share}>
        <h3>{t('completeness:transport')}</h3>
        <div
          className={classes.percent}
          data-tone={transportTone(data)}
          data-testid="completeness-percent"
          title={t('completeness:share')}
        >
          {percentText(data.percent)}
        </div>
        <div className={classes.hint}>
          {data.percent === null ? t('completeness:nothing') : t('completeness:share')}
        </div>
      </div>
      <dl className={classes.counts}>
        <Count
          name={t('completeness:collection.good')}
          note={t('completeness:collection.ofExpected', { count: collection.expected })}
        >
          {collection.good}
        </Count>
        <Count name={t('completeness:collection.missed')} note={missed(collection)}>
          {collection.percent === null && isUnknown(collection) ? '–' : collection.missed}
        </Count>
        <Count name={t('completeness:count.received')} note={t('completeness:samples', { count: data.samples })}>
          {data.received}
        </Count>
        <Count name={t('completeness:count.late')} note={t('completeness:samples', { count: data.late_samples })}>
          {data.late}
        </Count>
        <Count name={t('completeness:count.duplicates')} note={t('completeness:duplicatesNote')}>
          {data.duplicates}
        </Count>
        <Count name={t('completeness:count.missing')} note={words.missing(data.reasons)}>
          {data.missing}
        </Count>
        <Count
          name={t('completeness:count.dropped')}
          note={data.dropped_samples === 0 ? '' : t('completeness:droppedNote')}
        >
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
