import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import type { ReactElement, RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { useCut } from '@/blocks/live/useCut';
import { useTimeWords } from '@/components/useTimeWords';
import { useServerNow } from '@/components/useNow';
import { bus } from '@/lib/live';
import type { LastValue } from '@/lib/quality';
import { sourcesQuery } from '../api';
import type { DataSource, DeviceDetail } from '../api';
import { isOfTheWord, measuredMs, tellingPoints, reportIntervalMs } from '../newest';
import { Age } from './DeviceTable';

const GOOD = 0;

interface Props {
  deviceId: number;
  /** As the cloud told it last, which may be a pulse ago. */
  ms: number | null;
}

/** How long ago data of a gateway came: by the cloud's word or by the newest live value, whichever is later. */
export function LiveAge({ deviceId, ms }: Props): ReactElement {
  const { data } = useQuery(sourcesQuery(deviceId));
  return <Age ms={ms} live={useNewest(useMemo(() => tellingPoints(data ?? []), [data]))} />;
}

interface SlaveProps {
  slave: DeviceDetail['slaves'][number];
  gatewayOnline: boolean;
  sources: readonly DataSource[];
  /** Values to begin with. */
  last: ReadonlyMap<number, LastValue>;
}

/**
 * When a slave answered last. A value that came is an answer. While it answers, and its values are not sent because they stay as
 * they are, all that is known is what the gateway says every 30 s: that it did so within the last minute.
 */
export function LastGood({ slave, gatewayOnline, sources, last }: SlaveProps): ReactElement {
  const { t } = useTranslation();
  const { ago } = useTimeWords();
  const cut = useCut();
  const now = useServerNow(1000);
  const { name } = slave;
  const live = useNewest(useMemo(() => tellingPoints(sources, name), [sources, name]));
  const reportMs = useMemo(() => reportIntervalMs(sources, name), [sources, name]);
  const measured = useMemo(() => measuredMs(sources, last, name), [sources, last, name]);
  const newest = Math.max(slave.last_good_ms, measured, live.current);
  if (newest === 0) return <>–</>;
  const age = Math.max(0, now - newest);
  if (isOfTheWord(age, slave.online && gatewayOnline && !cut, reportMs))
    return <span title={t('monitor:slave.lastMinuteHint')}>{t('monitor:slave.lastMinute')}</span>;
  return <span className="number">{ago(age)}</span>;
}

/** Time of the newest good value of points while they are watched, to be looked at once a second; 0 for none yet. */
function useNewest(dsids: readonly number[]): RefObject<number> {
  const newest = useRef(0);
  useEffect(() => {
    const leave = dsids.map((dsid) =>
      bus.watch(dsid, ({ t_ms, quality }) => {
        if (quality === GOOD && t_ms > newest.current) newest.current = t_ms;
      }),
    );
    return () => {
      for (const each of leave) each();
    };
  }, [dsids]);
  return newest;
}
