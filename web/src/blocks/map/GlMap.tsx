import { Button, Skeleton } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Credit } from './Credit';
import type { Datum } from './datum';
import { boundsFrom, linesIn, placesIn, pointFrom, pointIn, startIn } from './display';
import GlCanvas from './GlCanvas';
import { bordersQuery } from './mapOptions';
import classes from './map.module.css';
import type { Bounds, LngLat, MapPosition } from './model';
import type { MapProps } from './types';
import { useGround } from './useGround';

const NO_LINES: readonly never[] = [];

interface Props extends MapProps {
  /** The graphics have failed: something simpler is to be drawn. */
  onBroken: () => void;
}

/** The map on the platform's ground; where that cannot be had, on the land. */
export default function GlMap({ onBroken, ...props }: Props): ReactElement {
  const [attempt, setAttempt] = useState(0);
  const { base, of, isLost } = useGround(attempt);
  const { data: borders } = useQuery(bordersQuery);
  const [works, setWorks] = useState(true);
  const isBuiltin = base.kind === undefined || base.kind === 'builtin';
  const datum = isBuiltin ? 'WGS84' : (base.datum ?? 'WGS84');
  const displayed = useDatum(props, datum);
  const lines = useMemo(() => linesIn(borders?.lines ?? NO_LINES, datum), [borders, datum]);
  if (of === null) return <Skeleton h="100%" radius={0} />;
  const isMissing = !isBuiltin && (isLost || !works);
  return (
    <>
      <GlCanvas {...displayed} onBroken={onBroken} groundOf={of} borders={lines} onGround={setWorks} />
      <Credit
        credit={isMissing || isBuiltin ? '' : (base.credit ?? '')}
        approval={lines.length === 0 ? '' : (borders?.approval ?? '')}
      />
      {isMissing ? (
        <Missing
          onRetry={() => {
            setWorks(true);
            setAttempt(attempt + 1);
          }}
        />
      ) : null}
    </>
  );
}

/** The same map in the datum of its tiles: its callers know WGS-84 only. */
function useDatum(props: MapProps, datum: Datum): MapProps {
  const { places, start, goTo = null, pin = null, onPick, onMoved } = props;
  const moved = useCallback(
    (position: MapPosition, bounds: Bounds) => onMoved(pointFrom(position, datum), boundsFrom(bounds, datum)),
    [onMoved, datum],
  );
  return {
    ...props,
    places: useMemo(() => placesIn(places, datum), [places, datum]),
    start: useMemo(() => startIn(start, datum), [start, datum]),
    goTo: useMemo(() => startIn(goTo, datum), [goTo, datum]),
    pin: useMemo(() => (pin === null ? null : pointIn(pin, datum)), [pin, datum]),
    onPick: onPick === undefined ? undefined : (place: LngLat) => onPick(pointFrom(place, datum)),
    onMoved: moved,
  };
}

function Missing({ onRetry }: { onRetry: () => void }): ReactElement {
  const { t } = useTranslation();
  return (
    <div className={classes.missing} role="status" data-testid="map-ground-missing">
      <IconMapOff size={16} stroke={1.6} />
      <span>{t('base:map.groundMissing')}</span>
      <Button size="compact-xs" variant="default" onClick={onRetry}>
        {t('base:action.retry')}
      </Button>
    </div>
  );
}
