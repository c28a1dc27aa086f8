import { Skeleton } from '@mantine/core';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './map.module.css';
import { STATUS_WORD } from './model';
import type { MapProps, MapWords } from './types';
import { hasWebGl } from './webgl';

/** Each only for who gets it. */
const GlMap = lazy(() => import('./GlMap'));
const SvgMap = lazy(() => import('./SvgMap'));

interface Props extends Omit<MapProps, 'words'> {
  /** Spoken name; 'map' without one. */
  label?: string;
}

/** Places on a map that asks nobody outside; drawn by WebGL, or more simply where there is none. Fills its frame. */
export function MapView({ label, ...rest }: Props): ReactElement {
  const { t } = useTranslation();
  const [isSimple, setSimple] = useState(() => !hasWebGl());
  const words = useMemo<MapWords>(
    () => ({
      map: label ?? t('base:map.label'),
      zoomIn: t('base:map.zoomIn'),
      zoomOut: t('base:map.zoomOut'),
      group: (count, worst) => t('base:map.group', { count, status: t(`base:code.device.${STATUS_WORD[worst]}`) }),
    }),
    [t, label],
  );
  return (
    <div className={classes.frame} data-testid="map" data-kind={isSimple ? 'svg' : 'gl'}>
      <Suspense fallback={<Skeleton h="100%" radius={0} />}>
        {isSimple ? (
          <SvgMap words={words} {...rest} />
        ) : (
          <GlMap words={words} {...rest} onBroken={() => setSimple(true)} />
        )}
      </Suspense>
    </div>
  );
}
