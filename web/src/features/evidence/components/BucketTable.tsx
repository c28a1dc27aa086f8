import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ToneText } from '@/components/Tone';
import type { Completeness } from '../api';
import classes from '../evidence.module.css';
import { isOffline, markOf, percentText, toneOf } from '../strip';
import { useEvidenceWords } from './useWords';

/** The same cells as a table, the newest first. */
export function BucketTable({ data }: { data: Completeness }): ReactElement {
  const { t } = useTranslation();
  const words = useEvidenceWords();
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={t('evidence:cellsTable')}>
      <table className={classes.table} data-testid="bucket-table">
        <thead>
          <tr>
            <th scope="col">{t('evidence:column.period')}</th>
            <th scope="col" className={classes.right}>
              {t('evidence:column.percent')}
            </th>
            <th scope="col">{t('evidence:column.state')}</th>
            <th scope="col" className={classes.right}>
              {t('evidence:count.received')}
            </th>
            <th scope="col" className={`${classes.right} ${classes.optional}`}>
              {t('evidence:count.late')}
            </th>
            <th scope="col" className={`${classes.right} ${classes.optional}`}>
              {t('evidence:count.duplicates')}
            </th>
            <th scope="col" className={classes.right}>
              {t('evidence:count.missing')}
            </th>
          </tr>
        </thead>
        <tbody>
          {data.buckets.toReversed().map((bucket) => (
            <tr key={bucket.start_ms}>
              <th scope="row" className="number">
                {words.period(bucket)}
              </th>
              <td className={`${classes.right} number`}>{percentText(bucket.percent)}</td>
              <td>
                <ToneText tone={toneOf(bucket)}>{t(`evidence:mark.${markOf(bucket)}`)}</ToneText>
                {isOffline(bucket, data.outages) ? <span className={classes.sub}>{t('evidence:mark.offline')}</span> : null}
              </td>
              <td className={`${classes.right} number`}>{bucket.received}</td>
              <td className={`${classes.right} ${classes.optional} number`}>{bucket.late}</td>
              <td className={`${classes.right} ${classes.optional} number`}>{bucket.duplicates}</td>
              <td className={`${classes.right} number`}>
                {bucket.missing}
                {bucket.missing === 0 ? null : <span className={classes.sub}>{words.missing(bucket.reasons)}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
