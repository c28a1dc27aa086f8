import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useScreenLink } from '@/lib/navigation';
import type { Places } from '../api';
import { dotsIn } from '../dots';
import classes from '../overview.module.css';
import { Panel } from './Panel';

const WIDTH = 320;
const HEIGHT = 170;
const MAP = '/monitor/deviceMap';

/** Where the gateways are, coloured by their state; the map itself is a click away. */
export function PlacesCard({ places }: { places: Places }): ReactElement {
  const { t } = useTranslation();
  const link = useScreenLink(MAP);
  const dots = dotsIn(places, WIDTH, HEIGHT);
  return (
    <Panel name="places" title={t('overview:places.title')} all={{ path: MAP, text: t('overview:places.all') }}>
      {dots.length === 0 ? (
        <p className={classes.note}>{t('overview:places.none')}</p>
      ) : (
        <a
          {...link}
          className={classes.map}
          aria-label={t('overview:places.label', { count: places.total })}
          data-testid="overview-map"
        >
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden>
            {dots.map(({ id, title, status, x, y }) => (
              <circle key={id} cx={x} cy={y} r={4.5} data-status={status}>
                <title>{title}</title>
              </circle>
            ))}
          </svg>
        </a>
      )}
      <p className={classes.note}>
        {t('overview:places.count', { count: places.total })}
        {places.placeless === 0 ? '' : t('overview:places.placeless', { count: places.placeless })}
      </p>
    </Panel>
  );
}
