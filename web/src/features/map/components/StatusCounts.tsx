import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { STATUS_WORD } from '@/components/map/model';
import { StatusBadge } from '@/components/StatusBadge';
import type { Counts } from '../inView';
import classes from '../map.module.css';

const SHOWN = [1, 0, 2, 3] as const;

/** How many are online, offline or alarm, or never connected where there are any, and how many have no place. */
export function StatusCounts({ counts, placeless }: { counts: Counts; placeless: number }): ReactElement {
  const { t } = useTranslation();
  return (
    <dl className={classes.counts} data-testid="map-counts">
      <div>
        <dt>{t('map:count.all')}</dt>
        <dd className="number">{counts[0] + counts[1] + counts[2] + counts[3]}</dd>
      </div>
      {SHOWN.filter((status) => status !== 3 || counts[3] > 0).map((status) => (
        <div key={status} data-status={STATUS_WORD[status]}>
          <dt>
            <StatusBadge kind="device" code={STATUS_WORD[status]} />
          </dt>
          <dd className="number">{counts[status]}</dd>
        </div>
      ))}
      <div>
        <dt>{t('map:count.placeless')}</dt>
        <dd className="number">{placeless}</dd>
      </div>
    </dl>
  );
}
