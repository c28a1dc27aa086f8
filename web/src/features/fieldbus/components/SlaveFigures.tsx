import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ToneText } from '@/components/Tone';
import { formatDateTime } from '@/lib/time';
import type { FieldbusReport } from '../api';
import type { Fact } from './Facts';
import { Facts } from './Facts';
import { ReportTime } from './ReportTime';

/** What the gateway said of its internal slave. */
export function SlaveFigures({ report }: { report: FieldbusReport }): ReactElement {
  const { t } = useTranslation();
  const { internal_slave: slave, reported_ms: reported } = report;
  if (slave === null)
    return (
      <Facts
        testId="slave-figures"
        facts={[{ name: t('fieldbus:figure.state'), value: t('fieldbus:figure.notRunning') }]}
      />
    );
  const warned = (count: number): Fact['value'] => (count === 0 ? 0 : <ToneText tone="warn">{count}</ToneText>);
  const unclear = slave.bad_frames + slave.discarded_bytes;
  const facts: readonly (Fact | null)[] = [
    {
      name: t('fieldbus:figure.state'),
      value:
        slave.fault === '' ? (
          <ToneText tone="ok">{t('fieldbus:figure.listens', { where: slave.listens })}</ToneText>
        ) : (
          <ToneText tone="bad">{slave.fault}</ToneText>
        ),
    },
    {
      name: t('fieldbus:figure.masters'),
      value: slave.masters.map(({ peer, requests }) => `${peer} (${requests})`).join(', ') || '–',
    },
    { name: t('fieldbus:figure.requests'), value: slave.requests },
    { name: t('fieldbus:figure.exceptions'), value: warned(slave.exceptions) },
    { name: t('fieldbus:figure.writes'), value: slave.values_written },
    slave.refused === 0 ? null : { name: t('fieldbus:figure.refused'), value: warned(slave.refused) },
    unclear === 0 ? null : { name: t('fieldbus:figure.badFrames'), value: warned(unclear) },
    slave.last_error === ''
      ? null
      : {
          name: t('fieldbus:figure.lastError', { time: formatDateTime(slave.last_error_ms) }),
          value: slave.last_error,
        },
    { name: t('fieldbus:figure.reported'), value: <ReportTime ms={reported} /> },
  ];
  return <Facts testId="slave-figures" facts={facts.filter((fact) => fact !== null)} />;
}
