import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/time';
import { recordQuery } from '../api';
import classes from '../trace.module.css';

/** Who traced the gateway last, and how that ended. */
export function Record({ deviceId }: { deviceId: number }): ReactElement | null {
  const { t } = useTranslation();
  const { data = [] } = useQuery(recordQuery(deviceId));
  if (data.length === 0) return null;
  return (
    <section aria-label={t('signal-trace:record.title')} className={classes.record}>
      <h2>{t('signal-trace:record.title')}</h2>
      <div className={classes.scroll}>
        <table className={classes.table} data-testid="strace-record">
          <thead>
            <tr>
              <th>{t('signal-trace:record.user')}</th>
              <th>{t('signal-trace:record.started')}</th>
              <th>{t('signal-trace:record.ended')}</th>
              <th>{t('signal-trace:record.why')}</th>
              <th>{t('signal-trace:record.entries')}</th>
            </tr>
          </thead>
          <tbody>
            {data.map((row) => (
              <tr key={row.trace}>
                <td>
                  {row.user}
                  <Text size="xs" c="dimmed">
                    {row.address}
                  </Text>
                </td>
                <td>{formatDateTime(row.started_ms)}</td>
                <td>{row.ended_ms === null ? '-' : formatDateTime(row.ended_ms)}</td>
                <td>{row.why === '' ? t('signal-trace:record.running') : t(`signal-trace:end.${row.why}`)}</td>
                <td>{row.ended_ms === null ? '-' : row.entries}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
