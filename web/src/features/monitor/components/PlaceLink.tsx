import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ScreenLink } from '@/components/ScreenLink';
import { bus } from '@/lib/live';
import { placeOf } from '@/lib/place';
import type { LastValue, PointValue } from '@/lib/quality';

const ZOOM = 15;

interface Props {
  deviceId: number;
  dsid: number;
  initial: LastValue | undefined;
}

/** The map at what a location point says. */
export function PlaceLink({ deviceId, dsid, initial }: Props): ReactElement | null {
  const { t } = useTranslation();
  const [position, setPosition] = useState<PointValue | undefined>(undefined);
  useEffect(() => bus.watch(dsid, ({ value }) => setPosition(value)), [dsid]);
  const place = placeOf(position === undefined ? initial?.value : position);
  if (place === null) return null;
  return (
    <ScreenLink
      path="/monitor/deviceMap"
      search={{ device_id: deviceId, at: `${place.longitude},${place.latitude},${ZOOM}` }}
      data-testid="place-link"
    >
      {t('monitor:onMap')}
    </ScreenLink>
  );
}
