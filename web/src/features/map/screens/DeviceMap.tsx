import { Alert, Anchor } from '@mantine/core';
import { IconMapPinOff } from '@tabler/icons-react';
import { useEffect, useMemo, useRef } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { MapView } from '@/blocks/map/MapView';
import type { Place } from '@/blocks/map/model';
import { filterQuery, filterSearch, monitorFilters } from '@/blocks/monitor/monitorFilters';
import { MonitorSwitch } from '@/blocks/monitor/MonitorSwitch';
import { PageSkeleton } from '@/components/PageSkeleton';
import { PermissionGate } from '@/components/permission';
import { Trouble } from '@/components/Trouble';
import { useScreenLink } from '@/lib/navigation';
import { DeviceCard } from '../components/DeviceCard';
import { MapFilters } from '../components/MapFilters';
import { PlaceList } from '../components/PlaceList';
import { useMapTab } from '../components/useMapTab';
import { usePlaces } from '../components/usePlaces';
import { inView } from '../inView';
import classes from '../map.module.css';

const NONE: readonly Place[] = [];

/** Every device that has a place, on a map and in a list of what the map shows. */
export default function DeviceMap(): ReactElement {
  const { t, i18n } = useTranslation();
  const map = useMapTab();
  const chosenFilters = monitorFilters(map.search);
  const { search: words, status, project, product } = chosenFilters;
  const filter = useMemo(
    () => filterQuery({ search: words, status, project, product }),
    [words, status, project, product],
  );
  const query = usePlaces(filter);
  const places = query.data?.places ?? NONE;
  const { fit } = map;
  const asksFit = useRef(false);
  useEffect(() => {
    // Another project may lie elsewhere: the map goes there once its devices are known.
    if (!asksFit.current || query.isFetching || places.length === 0) return;
    asksFit.current = false;
    fit(places);
  }, [fit, places, query.isFetching]);
  const listed = useMemo(() => inView(places, map.bounds, i18n.language), [places, map.bounds, i18n.language]);
  const chosen = map.selected === null ? undefined : places.find(({ id }) => id === map.selected);
  const isFiltered = Object.values(chosenFilters).some((value) => value !== '');
  return (
    <section className={classes.page} aria-busy={query.isFetching}>
      <div className={classes.bar}>
        <h1>{t('map:title.map')}</h1>
        <MonitorSwitch at="/monitor/deviceMap" filters={chosenFilters} />
        <MapFilters
          chosen={chosenFilters}
          onChange={(change) => {
            asksFit.current = 'project' in change || 'product' in change;
            map.setSearch({ project_id: undefined, product_id: undefined, ...filterSearch(chosenFilters), ...change });
          }}
        />
      </div>
      {query.data === undefined ? (
        query.error === null ? (
          <PageSkeleton />
        ) : (
          <Trouble error={query.error} onRetry={() => void query.refetch()} />
        )
      ) : (
        <div className={classes.split}>
          <div className={classes.side}>
            <p className={classes.hint} data-testid="map-listed" role="status">
              {t('map:list.inView', { count: listed.length, total: query.data.total })}
              {query.data.total > places.length ? ` · ${t('map:list.tooMany', { count: places.length })}` : ''}
            </p>
            {query.data.placeless > 0 ? <Placeless count={query.data.placeless} /> : null}
            {places.length === 0 ? (
              <Empty title={t(isFiltered ? 'map:list.noMatch' : 'map:list.nothing')} text={t('map:list.nothingText')} />
            ) : (
              <PlaceList places={listed} selected={map.selected} onSelect={map.visit} />
            )}
          </div>
          <div className={classes.map}>
            <MapView
              places={places}
              selected={map.selected}
              onSelect={map.select}
              start={map.start}
              onMoved={map.onMoved}
              goTo={map.goTo}
            />
            {chosen === undefined ? null : (
              <DeviceCard key={chosen.id} place={chosen} onClose={() => map.select(null)} />
            )}
            {map.selected !== null && chosen === undefined && !isFiltered && query.data.total <= places.length ? (
              <NoLocation onClose={() => map.select(null)} />
            ) : null}
          </div>
        </div>
      )}
    </section>
  );
}

/** Of a device that was asked for by its number. */
function NoLocation({ onClose }: { onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const link = useScreenLink('/monitor/deviceLocation', { placed: 'no' });
  return (
    <Alert
      className={classes.card}
      icon={<IconMapPinOff size={18} />}
      title={t('map:noLocation')}
      withCloseButton
      closeButtonLabel={t('base:action.close')}
      onClose={onClose}
      data-testid="no-location"
    >
      <PermissionGate asks="Monitor.DeviceLocation">
        <Anchor {...link}>{t('map:setLocation')}</Anchor>
      </PermissionGate>
    </Alert>
  );
}

function Placeless({ count }: { count: number }): ReactElement {
  const { t } = useTranslation();
  const link = useScreenLink('/monitor/deviceLocation', { placed: 'no' });
  const text = t('map:list.placeless', { count });
  return (
    <p className={classes.hint} data-testid="map-placeless">
      <PermissionGate asks="Monitor.DeviceLocation" fallback={text}>
        <Anchor {...link} size="xs">
          {text}
        </Anchor>
      </PermissionGate>
    </p>
  );
}
