import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import type { ReactElement } from 'react';
import { bus } from '@/lib/live';
import { sourcesQuery } from '../api';
import { tellingPoints } from '../newest';
import { Age } from './DeviceTable';

const GOOD = 0;

interface Props {
  deviceId: number;
  /** Only what this slave measures. */
  slave?: string;
  /** As the cloud told it last, which may be a pulse ago. */
  ms: number | null;
}

/** How long ago something came: by the cloud's word or by the newest live value, whichever is later. */
export function LiveAge({ deviceId, slave, ms }: Props): ReactElement {
  const { data } = useQuery(sourcesQuery(deviceId));
  const dsids = useMemo(() => tellingPoints(data ?? [], slave), [data, slave]);
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
  return <Age ms={ms} live={newest} />;
}
