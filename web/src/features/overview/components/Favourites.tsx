import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeWords } from '@/components/useTimeWords';
import { ScreenLink } from '@/components/ScreenLink';
import { DeviceStar } from '@/blocks/devices/Star';
import { StatusBadge } from '@/components/StatusBadge';
import { useServerNow } from '@/components/useNow';
import type { DeviceRow } from '../api';
import classes from '../overview.module.css';
import { Panel } from './Panel';

const STEP_MS = 5_000;

/** Gateways that the user marked. */
export function Favourites({ rows }: { rows: readonly DeviceRow[] }): ReactElement {
  const { t } = useTranslation();
  const { ago } = useTimeWords();
  const now = useServerNow(STEP_MS);
  return (
    <Panel name="favourites" title={t('overview:favourites.title')}>
      {rows.length === 0 ? (
        <p className={classes.note}>{t('overview:favourites.none')}</p>
      ) : (
        <ul className={classes.lines}>
          {rows.map((row) => (
            <li key={row.id} data-testid="favourite" data-device={row.id}>
              <DeviceStar id={row.id} title={row.device_title} />
              <ScreenLink path="/deviceDetail/index" search={{ device_id: row.id }} className={classes.grow}>
                {row.device_title}
              </ScreenLink>
              <StatusBadge kind="device" code={row.status} isNew={row.presence.code === 'never_connected'} />
              <span className="number">
                {row.last_ms === null || row.last_ms === undefined ? '–' : ago(Math.max(0, now - row.last_ms))}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
