import { SegmentedControl, Skeleton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import type { Filter } from '@/components/resource/filters';
import { isPlace } from '@/blocks/map/isPlace';
import { degreeText, STATUS_WORD } from '@/blocks/map/model';
import type { LngLat, PlaceStatus } from '@/blocks/map/model';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { ScreenLink } from '@/components/ScreenLink';
import { StatusBadge } from '@/components/StatusBadge';
import { formatDateTime } from '@/lib/time';
import { DEVICE_STATUSES } from '@/lib/statusCodes';
import { loadLocations, LOCATIONS, POSITIONS, putPosition } from '../api';
import type { Location } from '../api';
import classes from '../map.module.css';

const LocationPicker = lazy(() =>
  import('@/blocks/map/LocationPicker').then((part) => ({ default: part.LocationPicker })),
);

type Draft = { longitude: number | null; latitude: number | null; auto: boolean };

const draftOf = ({ longitude = null, latitude = null, auto }: Location): Draft => ({ longitude, latitude, auto });
const EMPTY: Draft = { longitude: null, latitude: null, auto: false };
const isPair = (longitude: number | null, latitude: number | null): boolean =>
  longitude === null || latitude === null ? longitude === latitude : isPlace(longitude, latitude);
const isPlaced = ({ longitude, latitude }: Location): boolean =>
  typeof longitude === 'number' && typeof latitude === 'number';

/** Where devices are: which have no place yet, and who decides over it. */
export default function DeviceLocation(): ReactElement {
  return <ResourcePage resource={useLocations()} />;
}

function useLocations(): Resource<Location, Draft> {
  const { t } = useTranslation();
  const client = useQueryClient();
  const filters = useFilters();
  return useMemo(
    () => ({
      name: 'locations',
      title: t('map:title.location'),
      queryKey: LOCATIONS,
      load: ({ page, limit, filters: wanted }, signal) =>
        loadLocations(
          {
            page,
            limit,
            search: wanted.search || undefined,
            status: wanted.status || undefined,
            placed: wanted.placed === 'yes' ? true : wanted.placed === 'no' ? false : undefined,
          },
          signal,
        ),
      rowId: (row) => row.device_id,
      columns: [
        {
          id: 'device',
          title: t('map:field.device'),
          cell: (row) => row.device_title,
          text: (row) => row.device_title,
          fixed: true,
          card: 'title',
        },
        {
          id: 'sn',
          title: t('map:field.sn'),
          cell: (row) => row.gateway_id,
          text: (row) => row.gateway_id,
          card: 'fact',
        },
        {
          id: 'status',
          title: t('map:field.status'),
          cell: (row) => <StatusBadge kind="device" code={wordOf(row)} />,
          text: (row) => t(`base:code.device.${wordOf(row)}`),
          card: 'mark',
        },
        {
          id: 'place',
          title: t('map:field.place'),
          cell: (row) => <PlaceCell row={row} />,
          text: placeText,
          card: 'fact',
        },
        {
          id: 'mode',
          title: t('map:field.mode'),
          cell: (row) => t(`map:mode.${modeOf(row)}`),
          text: (row) => t(`map:mode.${modeOf(row)}`),
          card: 'fact',
        },
        { id: 'address', title: t('map:field.address'), cell: (row) => row.address, text: (row) => row.address },
        { id: 'since', title: t('map:field.since'), cell: sinceText, text: sinceText },
      ],
      filters,
      form: {
        empty: EMPTY,
        of: draftOf,
        words: { create: '', edit: t('map:edit') },
        mayUpdate: 'DeviceManage',
        validate: {
          longitude: (longitude, { latitude, auto }) =>
            auto || isPair(longitude, latitude) ? null : t('base:map.placeWrong'),
        },
        fields: (form, _mode, row) => <Fields form={form} row={row} />,
        update: (row, { longitude, latitude, auto }) =>
          putPosition(row.device_id, auto ? { auto } : { longitude, latitude, ...(row.auto ? { auto } : {}) }),
        onSaved: () => void client.invalidateQueries({ queryKey: POSITIONS }),
      },
      empty: { title: t('map:location.nothing'), text: t('map:location.nothingText') },
    }),
    [t, filters, client],
  );
}

function useFilters(): readonly Filter[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      { kind: 'search', name: 'search', label: t('map:filter.search') },
      {
        kind: 'segments',
        name: 'placed',
        label: t('map:filter.placed'),
        options: (['no', 'yes'] as const).map((value) => ({ value, label: t(`map:placed.${value}`) })),
      },
      {
        kind: 'select',
        name: 'status',
        label: t('map:filter.status'),
        options: DEVICE_STATUSES.map((value) => ({ value, label: t(`base:code.device.${value}`) })),
      },
    ],
    [t],
  );
}

const wordOf = ({ status }: Location) => STATUS_WORD[status as PlaceStatus];
const modeOf = ({ auto, has_location_point }: Location): 'auto' | 'lost' | 'manual' =>
  !auto ? 'manual' : has_location_point ? 'auto' : 'lost';
const sinceText = ({ positioned_ms }: Location): string =>
  typeof positioned_ms === 'number' ? formatDateTime(positioned_ms) : '–';

function placeText(row: Location): string {
  if (!isPlaced(row)) return '';
  return `${degreeText(row.longitude as number, 'longitude')} ${degreeText(row.latitude as number, 'latitude')}`;
}

function PlaceCell({ row }: { row: Location }): ReactElement {
  const { t } = useTranslation();
  if (!isPlaced(row)) return <span className={classes.hint}>{t('map:noLocation')}</span>;
  return (
    <ScreenLink
      path="/monitor/deviceMap"
      search={{ device_id: row.device_id, at: `${row.longitude},${row.latitude},11` }}
      className="number"
    >
      {placeText(row)}
    </ScreenLink>
  );
}

function Fields({ form, row }: { form: ApiForm<Draft>; row: Location | null }): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const { longitude, latitude, auto } = fields.getValues();
  const value: LngLat | null = longitude === null || latitude === null ? null : { longitude, latitude };
  const hasPoint = row?.has_location_point ?? false;
  return (
    <>
      <SegmentedControl
        data={(['manual', 'auto'] as const).map((mode) => ({
          value: mode,
          label: t(`map:mode.${mode}`),
          disabled: mode === 'auto' && !hasPoint,
        }))}
        value={auto ? 'auto' : 'manual'}
        onChange={(mode) => fields.setFieldValue('auto', mode === 'auto')}
        aria-label={t('map:field.mode')}
        data-testid="location-mode"
      />
      <p className={classes.hint}>{t(hasPoint ? 'map:mode.hint' : 'map:mode.noPoint')}</p>
      <Suspense fallback={<Skeleton h={360} />}>
        <LocationPicker
          value={value}
          onChange={(place) => {
            fields.setFieldValue('longitude', place?.longitude ?? null);
            fields.setFieldValue('latitude', place?.latitude ?? null);
          }}
          disabled={auto}
          error={(fields.errors.longitude ?? fields.errors.latitude ?? null) as string | null}
        />
      </Suspense>
    </>
  );
}
