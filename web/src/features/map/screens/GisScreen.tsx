import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { AlarmLevelTag } from '@/blocks/alarms/AlarmLevelTag';
import { MapView } from '@/blocks/map/MapView';
import type { Place } from '@/blocks/map/model';
import { PageSkeleton } from '@/components/PageSkeleton';
import { PermissionGate } from '@/components/permission';
import { Trouble } from '@/components/Trouble';
import { usePhone } from '@/components/table/usePhone';
import { formatSince } from '@/lib/time';
import { serverNow } from '@/lib/serverClock';
import { levelsQuery, newestAlarmsQuery } from '../api';
import { DeviceCard } from '../components/DeviceCard';
import { StatusCounts } from '../components/StatusCounts';
import { useMapTab } from '../components/useMapTab';
import { usePlaces } from '../components/usePlaces';
import { countsOf } from '../inView';
import classes from '../map.module.css';

const GIS = { gis: true } as const;
const NONE: readonly Place[] = [];
const NO_LEVELS: readonly never[] = [];
const ALARMS = 12;
/** The counters above, the alarms at the right. */
const COVERED = { top: 90, right: 390 } as const;

/** The map of the GIS devices as a wall screen: counters, and what is alarming now. */
export default function GisScreen(): ReactElement {
  const { t } = useTranslation();
  const map = useMapTab();
  const phone = usePhone();
  const query = usePlaces(GIS);
  const places = query.data?.places ?? NONE;
  const counts = useMemo(() => countsOf(places), [places]);
  const chosen = map.selected === null ? undefined : places.find(({ id }) => id === map.selected);
  if (query.data === undefined) {
    return query.error === null ? (
      <PageSkeleton />
    ) : (
      <Trouble error={query.error} onRetry={() => void query.refetch()} />
    );
  }
  return (
    <section className={classes.gis}>
      <h1 className="visually-hidden">{t('map:title.gis')}</h1>
      <MapView
        label={t('map:title.gis')}
        places={places}
        selected={map.selected}
        onSelect={map.select}
        start={map.start}
        covered={phone ? undefined : COVERED}
        onMoved={map.onMoved}
        goTo={map.goTo}
      />
      <div className={classes.gisCounts}>
        <StatusCounts counts={counts} total={query.data.total} placeless={query.data.placeless} />
        {query.data.total === 0 ? <p className={classes.hint}>{t('map:gis.nothing')}</p> : null}
        {query.data.total > places.length ? (
          <p className={classes.hint}>{t('map:gis.tooMany', { count: places.length })}</p>
        ) : null}
      </div>
      <PermissionGate asks="Event">
        <Alarms />
      </PermissionGate>
      {chosen === undefined ? null : <DeviceCard key={chosen.id} place={chosen} onClose={() => map.select(null)} />}
    </section>
  );
}

function Alarms(): ReactElement {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({ ...newestAlarmsQuery(ALARMS), meta: { errorInPlace: true } });
  const { data: levels = NO_LEVELS } = useQuery(levelsQuery);
  return (
    <section className={classes.gisAlarms} aria-label={t('map:gis.alarms')} tabIndex={0} data-testid="gis-alarms">
      <h2>{t('map:gis.alarms')}</h2>
      {data === undefined && error !== null ? <Trouble error={error} onRetry={() => void refetch()} /> : null}
      {data?.rows.length === 0 ? <p className={classes.hint}>{t('map:gis.noAlarms')}</p> : null}
      <ul>
        {data?.rows.map((row) => (
          <li key={row.id}>
            <AlarmLevelTag type={row.alarm_type} level={row.level} levels={levels} />
            <span>{row.device_title}</span>
            <time className="number">{formatSince(row.at, serverNow())}</time>
          </li>
        ))}
      </ul>
    </section>
  );
}
