import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useCut } from '@/blocks/live/useCut';
import { useTimeWords } from '@/components/useTimeWords';
import { ToneText } from '@/components/Tone';
import { useServerNow } from '@/components/useNow';
import { formatSince } from '@/lib/time';
import type { DeviceDetail } from '../api';
import classes from '../monitor.module.css';
import { codeText, failureText, faultKey, responseText } from '../requests';
import type { Fault, Requests } from '../requests';

type Slave = DeviceDetail['slaves'][number];

interface Props {
  slave: Slave;
  gatewayOnline: boolean;
}

/** Kinds beside the newest that are told in the row; all of them are in its title. */
const MAX_SHOWN = 3;
const STEP_MS = 5_000;

/** What the gateway says of the last minute; null when it says nothing, or nobody knows any more. */
function useRequests({ slave, gatewayOnline }: Props): Requests | null {
  const cut = useCut();
  return cut || !gatewayOnline ? null : (slave.requests ?? null);
}

function Unknown(): ReactElement {
  const { t } = useTranslation();
  return <span title={t('monitor:slave.notCounted')}>–</span>;
}

/** Mean and longest response time of the last minute. */
export function ResponseTime(props: Props): ReactElement {
  const { t } = useTranslation();
  const requests = useRequests(props);
  if (requests === null) return <Unknown />;
  const { mean_ms: mean = null, max_ms: max = null } = requests;
  if (mean === null || max === null) return <span title={t('monitor:slave.noAnswers')}>–</span>;
  return (
    <span
      className="number"
      title={t('monitor:slave.responseText', { mean: responseText(mean), max: responseText(max) })}
    >
      {responseText(mean)} / {responseText(max)}
    </span>
  );
}

/** Share of the last minute's requests that failed. */
export function FailureRate(props: Props): ReactElement {
  const { t } = useTranslation();
  const requests = useRequests(props);
  if (requests === null) return <Unknown />;
  const text = failureText(requests);
  if (text === null) return <span title={t('monitor:slave.noRequests')}>–</span>;
  const title = t('monitor:slave.failureText', { failures: requests.failures, requests: requests.requests });
  return (
    <span className="number" title={title} data-failures={requests.failures}>
      {requests.failures === 0 ? (
        text
      ) : (
        <ToneText tone="warn">{`${text} (${requests.failures}/${requests.requests})`}</ToneText>
      )}
    </span>
  );
}

function useFaultWords(): (fault: Pick<Fault, 'kind' | 'code'>) => string {
  const { t } = useTranslation();
  return ({ kind, code }) => {
    const key = faultKey(kind);
    return [key === null ? kind : t(key), codeText(code)].filter(Boolean).join(' ');
  };
}

/** The newest fault, and how many there were of each kind. Told also while the gateway is away: it is what was. */
export function SlaveFaults({ slave }: Pick<Props, 'slave'>): ReactElement {
  const { t } = useTranslation();
  const { ago } = useTimeWords();
  const words = useFaultWords();
  const now = useServerNow(STEP_MS);
  const requests = slave.requests ?? null;
  if (requests === null) return <Unknown />;
  const faults = requests.faults ?? [];
  const since = formatSince(requests.since_ms, now);
  const newest = faults[0];
  if (newest === undefined) return <span className={classes.hint}>{t('monitor:slave.noFaults', { since })}</span>;
  const counts = faults.map((fault) => t('monitor:fault.count', { kind: words(fault), count: fault.count }));
  const more = counts.length - MAX_SHOWN;
  return (
    <span
      data-testid={`faults-${slave.name}`}
      data-kinds={faults.map(({ kind }) => kind).join()}
      title={counts.join('\n')}
    >
      {words(newest)} <span className={classes.hint}>{ago(Math.max(0, now - newest.last_ms))}</span>
      <span className={classes.sub}>
        {[...counts.slice(0, MAX_SHOWN), ...(more > 0 ? [t('monitor:fault.more', { count: more })] : [])].join(' · ')} ·{' '}
        {t('monitor:fault.since', { since })}
      </span>
    </span>
  );
}
