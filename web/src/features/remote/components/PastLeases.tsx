import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { useTimeWords } from '@/components/useTimeWords';
import { formatDateTime } from '@/lib/time';
import type { LeaseRow } from '../api';
import { bytesText, endKey } from '../ports';
import classes from '../remote.module.css';

/** Who borrowed which port, from where, how much went through, and why it ended. */
export function PastLeases({ leases }: { leases: readonly LeaseRow[] }): ReactElement {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  return (
    <section className={classes.past} aria-label={t('remote:past.title')}>
      <h2>{t('remote:past.title')}</h2>
      {leases.length === 0 ? (
        <Empty title={t('remote:past.nothing')} />
      ) : (
        <div className={classes.scroll}>
          <table className={classes.table} data-testid="past-leases">
            <thead>
              <tr>
                <th scope="col">{t('remote:past.time')}</th>
                <th scope="col">{t('remote:vcom.port')}</th>
                <th scope="col" className={classes.optional}>
                  {t('remote:fact.user')}
                </th>
                <th scope="col" className={`${classes.optional} ${classes.right}`}>
                  {t('remote:past.duration')}
                </th>
                <th scope="col" className={`${classes.optional} ${classes.right}`}>
                  {t('remote:fact.bytes')}
                </th>
                <th scope="col">{t('remote:past.why')}</th>
              </tr>
            </thead>
            <tbody>
              {leases.map((lease) => (
                <tr key={lease.lease} data-testid="past-lease" data-lease={lease.lease}>
                  <td className="number">{formatDateTime(lease.opened_ms)}</td>
                  <th scope="row">
                    {lease.port}
                    <span className={classes.sub}>{lease.mode === 'raw' ? t('remote:vcom.raw') : 'RFC 2217'}</span>
                  </th>
                  <td className={classes.optional}>
                    {lease.user}
                    <span className={classes.sub}>{lease.address}</span>
                  </td>
                  <td className={`${classes.optional} ${classes.right} number`}>
                    {lease.ended_ms === null ? '–' : duration(lease.ended_ms - lease.opened_ms)}
                  </td>
                  <td className={`${classes.optional} ${classes.right} number`}>
                    {t('remote:bytes', {
                      to: bytesText(lease.bytes_to_gateway),
                      from: bytesText(lease.bytes_from_gateway),
                    })}
                  </td>
                  <td>
                    <Why lease={lease} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Why({ lease }: { lease: LeaseRow }): ReactElement {
  const { t } = useTranslation();
  const key = endKey(lease.why);
  const closer = /^closed by (.+)$/.exec(lease.detail)?.[1];
  if (closer !== undefined) return <>{t('remote:end.closedBy', { user: closer })}</>;
  return (
    <>
      {key === null ? lease.why : t(key)}
      {lease.why === 'done' || lease.detail === '' ? null : <span className={classes.sub}>{lease.detail}</span>}
    </>
  );
}
