import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { countsAsOnline } from '@/lib/quality';
import { deviceQuery } from '../api';
import { LastGood } from '../components/LiveAge';
import { FramesLink } from '../components/FramesLink';
import { FailureRate, ResponseTime, SlaveFaults } from '../components/SlaveRequests';
import { SlaveState } from '../components/SlaveState';
import { useDevice, usePoints } from '../components/useDevice';
import classes from '../monitor.module.css';
import { protocolName } from '../presence';

/** No push tells when a slave answered last. */
const SLAVES_REFETCH_MS = 10_000;

export default function SlavesTab(): ReactElement {
  const { t } = useTranslation();
  const device = useDevice();
  useQuery({ ...deviceQuery(device.id), refetchInterval: SLAVES_REFETCH_MS });
  const { sources, last, isPending } = usePoints();
  const points = useMemo(() => Map.groupBy(sources, ({ slave }) => slave), [sources]);
  if (device.slaves.length === 0)
    return <Empty title={t('monitor:slave.nothing')} text={t('monitor:live.nothingText')} />;
  return (
    <div className={classes.scroll}>
      <table className={`${classes.table} ${classes.slaves}`} data-testid="slave-table">
        <thead>
          <tr>
            <th scope="col">{t('monitor:column.slave')}</th>
            <th scope="col">{t('monitor:column.status')}</th>
            <th scope="col">
              <span title={t('monitor:slave.responseHint')}>{t('monitor:column.response')}</span>
            </th>
            <th scope="col">
              <span title={t('monitor:slave.failureHint')}>{t('monitor:column.failures')}</span>
            </th>
            <th scope="col">{t('monitor:column.faults')}</th>
            <th scope="col" className={classes.optional}>
              {t('monitor:column.protocol')}
            </th>
            <th scope="col" className={classes.optional}>
              {t('monitor:column.port')}
            </th>
            <th scope="col" className={classes.optional}>
              {t('monitor:column.address')}
            </th>
            <th scope="col" className={classes.right}>
              {t('monitor:column.points')}
            </th>
            <th scope="col">{t('monitor:column.lastGood')}</th>
          </tr>
        </thead>
        <tbody>
          {device.slaves.map((slave) => (
            <tr key={slave.id}>
              <th scope="row">
                {slave.title}
                <span className={`${classes.sub} ${classes.mono}`}>{slave.name}</span>
              </th>
              <td>
                <SlaveState slave={slave} gatewayOnline={countsAsOnline(device.link)} />
              </td>
              <td data-label={t('monitor:column.response')} data-testid={`response-${slave.name}`}>
                <ResponseTime slave={slave} gatewayOnline={device.link.online} />
              </td>
              <td data-label={t('monitor:column.failures')} data-testid={`failures-${slave.name}`}>
                <FailureRate slave={slave} gatewayOnline={device.link.online} />
              </td>
              <td data-label={t('monitor:column.faults')} className={classes.faults}>
                <SlaveFaults slave={slave} /> <FramesLink deviceId={device.id} slave={slave} />
              </td>
              <td className={classes.optional}>{protocolName(slave.protocol)}</td>
              <td className={`${classes.mono} ${classes.optional}`}>{slave.port}</td>
              <td className={`${classes.mono} ${classes.optional}`}>{slave.address}</td>
              <td
                data-label={t('monitor:column.points')}
                className={`${classes.right} number`}
                data-testid={`points-${slave.name}`}
              >
                {isPending ? '–' : (points.get(slave.name)?.length ?? 0)}
              </td>
              <td data-label={t('monitor:column.lastGood')}>
                <LastGood slave={slave} gatewayOnline={countsAsOnline(device.link)} sources={sources} last={last} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
