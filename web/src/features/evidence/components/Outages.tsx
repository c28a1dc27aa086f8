import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeWords } from '@/components/live/useWords';
import { formatDateTime } from '@/lib/time';
import type { Completeness } from '../api';
import classes from '../evidence.module.css';
import { useEvidenceWords } from './useWords';

/** When the gateway or one of its slaves was away: what was not measured then is no gap, but not there either. */
export function Outages({ data }: { data: Completeness }): ReactElement {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  const words = useEvidenceWords();
  return (
    <section className={classes.section}>
      <div className={classes.bar}>
        <h2>{t('evidence:outages.title')}</h2>
        {data.outages_total > data.outages.length ? (
          <span className={classes.hint}>{t('evidence:outages.newest', { count: data.outages.length, total: data.outages_total })}</span>
        ) : null}
      </div>
      {data.outages.length === 0 ? (
        <div className={`${classes.area} ${classes.hint}`}>{t('evidence:outages.nothing')}</div>
      ) : (
        <div className={classes.scroll} tabIndex={0} role="region" aria-label={t('evidence:outages.title')}>
          <table className={classes.table} data-testid="outage-table">
            <thead>
              <tr>
                <th scope="col">{t('evidence:column.who')}</th>
                <th scope="col">{t('evidence:column.offline')}</th>
                <th scope="col" className={classes.optional}>
                  {t('evidence:column.online')}
                </th>
                <th scope="col" className={classes.right}>
                  {t('evidence:column.duration')}
                </th>
                <th scope="col">{t('evidence:column.reason')}</th>
              </tr>
            </thead>
            <tbody>
              {data.outages.map((entry) => (
                <tr key={entry.id}>
                  <th scope="row">{entry.slave === null ? t('evidence:outages.gateway') : (entry.slave_title ?? entry.slave)}</th>
                  <td className="number">{formatDateTime(entry.offline_ms)}</td>
                  <td className={`${classes.optional} number`}>
                    {entry.online_ms === null ? t('evidence:outages.lasts') : formatDateTime(entry.online_ms)}
                  </td>
                  <td className={`${classes.right} number`}>{duration(entry.duration_ms)}</td>
                  <td>{words.away(entry)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
