import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { bordersQuery, mapBaseQuery } from '@/blocks/map/mapOptions';
import { MapView } from '@/blocks/map/MapView';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import classes from '../platform.module.css';
import { MapBaseForm } from './MapBaseForm';
import { MapBordersForm } from './MapBordersForm';

const NOWHERE: readonly never[] = [];
const IGNORE = (): void => undefined;
/** Where a map begins that has nothing to show but itself. */
const START = { longitude: 105, latitude: 34, zoom: 3 };

/** The ground of every map of the platform, borders on it, and how both look. */
export default function MapSetting(): ReactElement {
  const { t } = useTranslation();
  const base = useQuery({ ...mapBaseQuery, refetchOnWindowFocus: false });
  const borders = useQuery({ ...bordersQuery, refetchOnWindowFocus: false });
  const error = base.error ?? borders.error;
  if (error !== null)
    return <Trouble error={error} onRetry={() => void Promise.all([base.refetch(), borders.refetch()])} />;
  if (base.data === undefined || borders.data === undefined) return <PageSkeleton />;
  return (
    <div className={classes.beside}>
      <div className={classes.fields}>
        <MapBaseForm base={base.data} />
        <MapBordersForm borders={borders.data} />
      </div>
      <figure className={classes.preview}>
        <figcaption>{t('platform:map.preview')}</figcaption>
        <div className={classes.mapPreview}>
          <MapView
            label={t('platform:map.preview')}
            places={NOWHERE}
            selected={null}
            onSelect={IGNORE}
            start={START}
            onMoved={IGNORE}
          />
        </div>
      </figure>
    </div>
  );
}
