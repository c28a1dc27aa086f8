import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeWords } from '@/components/useTimeWords';
import { ScreenLink } from '@/components/ScreenLink';
import { useServerNow } from '@/components/useNow';
import type { LinkAge } from '../api';
import classes from '../overview.module.css';
import { Panel } from './Panel';

const STEP_MS = 5_000;

/** When anything came last, and which gateways have been quiet for longest. */
export function LinkCard({ link }: { link: LinkAge }): ReactElement {
  const { t } = useTranslation();
  const { ago } = useTimeWords();
  const now = useServerNow(STEP_MS);
  const age = (ms: number): string => ago(Math.max(0, now - ms));
  const newest = link.newest_ms ?? null;
  return (
    <Panel
      name="link"
      title={t('overview:link.title')}
      all={{ path: '/device/deviceManage', search: { sort: 'last_ms' }, text: t('overview:link.all') }}
    >
      {newest === null ? (
        <p className={classes.note}>{t('overview:link.never')}</p>
      ) : (
        <>
          <p className={classes.lead}>{t('overview:link.newest', { ago: age(newest) })}</p>
          <h3 className={classes.sub}>{t('overview:link.quiet')}</h3>
          <ul className={classes.lines}>
            {link.quiet.map(({ device_id, device_title, last_ms }) => (
              <li key={device_id}>
                <ScreenLink path="/deviceDetail/index" search={{ device_id }}>
                  {device_title}
                </ScreenLink>
                <span className="number">{age(last_ms)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}
