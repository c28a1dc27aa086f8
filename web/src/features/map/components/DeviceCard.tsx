import { Anchor, CloseButton, Group, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { TrendLink } from '@/blocks/history/TrendLink';
import { useLiveValue } from '@/blocks/live/useLiveValue';
import type { LiveGateway } from '@/blocks/live/useLiveValue';
import { TrustMark } from '@/blocks/live/TrustMark';
import { useSwitchWords } from '@/blocks/live/useWords';
import { degreeText, STATUS_WORD } from '@/blocks/map/model';
import type { Place } from '@/blocks/map/model';
import { errorText } from '@/components/notices';
import { PermissionGate, usePerm } from '@/components/permission';
import { StatusBadge } from '@/components/StatusBadge';
import { Trouble } from '@/components/Trouble';
import { useScreenLink } from '@/lib/navigation';
import { formatValue } from '@/lib/numbers';
import type { LastValue, PointValue } from '@/lib/quality';
import { deviceQuery, lastValuesQuery, sourcesQuery } from '../api';
import type { DataSource } from '../api';
import { pointsOnMap } from '../cardPoints';
import classes from '../map.module.css';

interface Props {
  place: Place;
  onClose: () => void;
}

/** A device of the map with some of its live values and ways to the rest. */
export function DeviceCard({ place, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const maySee = usePerm('Monitor.DeviceMonitor');
  const detail = useScreenLink('/deviceDetail/index', { device_id: place.id });
  const history = useScreenLink('/dataCenter/hisData', { device_id: place.id });
  const location = useScreenLink('/monitor/deviceLocation', { search: place.title });
  return (
    <aside className={classes.card} aria-label={place.title} data-testid="device-card">
      <div className={classes.cardHead}>
        <strong>{place.title}</strong>
        <StatusBadge kind="device" code={STATUS_WORD[place.status]} />
        <CloseButton ml="auto" onClick={onClose} aria-label={t('base:action.close')} />
      </div>
      <p className={classes.hint}>
        {degreeText(place.longitude, 'longitude')} {degreeText(place.latitude, 'latitude')}
      </p>
      {maySee ? <Values deviceId={place.id} /> : null}
      <Group gap={12} mt={8}>
        {maySee ? <Anchor {...detail}>{t('map:card.detail')}</Anchor> : null}
        <PermissionGate asks="HisData">
          <Anchor {...history}>{t('map:card.history')}</Anchor>
        </PermissionGate>
        <PermissionGate asks="Monitor.DeviceLocation">
          <Anchor {...location}>{t('map:card.location')}</Anchor>
        </PermissionGate>
      </Group>
    </aside>
  );
}

function Values({ deviceId }: { deviceId: number }): ReactElement | null {
  const { t } = useTranslation();
  const device = useQuery({ ...deviceQuery(deviceId), meta: { errorInPlace: true } });
  const sources = useQuery({ ...sourcesQuery(deviceId), meta: { errorInPlace: true } });
  const last = useQuery({ ...lastValuesQuery(deviceId), meta: { errorInPlace: true } });
  const initial = useMemo(() => new Map((last.data ?? []).map((value) => [value.dsid, value])), [last.data]);
  const unread = [sources, device].find(({ data, error }) => data === undefined && error !== null);
  if (unread !== undefined)
    return (
      <Trouble error={unread.error} onRetry={() => void Promise.all([sources, device].map((each) => each.refetch()))} />
    );
  if (sources.isPending || device.isPending || last.isPending) return <Skeleton h={72} mt={8} />;
  const points = pointsOnMap(sources.data ?? []);
  if (points.length === 0) return <p className={classes.hint}>{t('map:card.noValues')}</p>;
  return (
    <>
      {last.data === undefined ? (
        <p className={classes.hint} role="alert">
          {errorText(last.error)}
        </p>
      ) : null}
      <dl className={classes.values}>
        {points.map((source) => (
          <Value
            key={source.dsid}
            source={source}
            initial={initial.get(source.dsid)}
            gateway={device.data ?? { id: deviceId, link: { online: false } }}
          />
        ))}
      </dl>
    </>
  );
}

interface ValueProps {
  source: DataSource;
  initial: LastValue | undefined;
  gateway: LiveGateway;
}

function Value({ source, initial, gateway }: ValueProps): ReactElement {
  const words = useSwitchWords();
  const format = useCallback((value: PointValue) => formatValue(value, source, words), [source, words]);
  const point = useMemo(() => ({ ...source, min: source.min ?? null, max: source.max ?? null }), [source]);
  const { valueRef, trust } = useLiveValue({ point, initial, gateway, format });
  return (
    <div data-good={trust === 'good'}>
      <dt>{source.ds_title}</dt>
      <dd className="number">
        <TrendLink point={source} deviceId={gateway.id}>
          <span ref={valueRef} />
        </TrendLink>{' '}
        {source.unit} {trust === 'good' ? null : <TrustMark state={trust} />}
      </dd>
    </div>
  );
}
