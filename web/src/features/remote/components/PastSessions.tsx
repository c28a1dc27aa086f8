import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { useTimeWords } from '@/components/useTimeWords';
import { formatDateTime } from '@/lib/time';
import type { PortSession } from '../api';
import { bytesText, endKey } from '../ports';
import classes from '../remote.module.css';

/** Who borrowed which port, from where, how much went through, and why it ended. */
export function PastSessions({ sessions }: { sessions: readonly PortSession[] }): ReactElement {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  return (
    <section className={classes.past} aria-label={t('remote:past.title')}>
      <h2>{t('remote:past.title')}</h2>
      {sessions.length === 0 ? (
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
              {sessions.map((session) => (
                <tr key={session.lease} data-testid="past-lease" data-lease={session.lease}>
                  <td className="number">{formatDateTime(session.opened_ms)}</td>
                  <th scope="row">
                    {session.port}
                    <span className={classes.sub}>{session.mode === 'raw' ? t('remote:vcom.raw') : 'RFC 2217'}</span>
                  </th>
                  <td className={classes.optional}>
                    {session.user}
                    <span className={classes.sub}>{session.address}</span>
                  </td>
                  <td className={`${classes.optional} ${classes.right} number`}>
                    {session.ended_ms === null ? '–' : duration(session.ended_ms - session.opened_ms)}
                  </td>
                  <td className={`${classes.optional} ${classes.right} number`}>
                    {t('remote:bytes', {
                      to: bytesText(session.bytes_to_gateway),
                      from: bytesText(session.bytes_from_gateway),
                    })}
                  </td>
                  <td>
                    <Why session={session} />
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

function Why({ session }: { session: PortSession }): ReactElement {
  const { t } = useTranslation();
  const key = endKey(session.why);
  const closer = /^closed by (.+)$/.exec(session.detail)?.[1];
  if (closer !== undefined) return <>{t('remote:end.closedBy', { user: closer })}</>;
  return (
    <>
      {key === null ? session.why : t(key)}
      {session.why === 'done' || session.detail === '' ? null : <span className={classes.sub}>{session.detail}</span>}
    </>
  );
}
