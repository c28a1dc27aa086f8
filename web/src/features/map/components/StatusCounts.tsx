import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { STATUS_WORD } from '@/blocks/map/model';
import { StatusBadge } from '@/components/StatusBadge';
import type { Counts } from '../inView';
import classes from '../map.module.css';

const STATUSES = [1, 4, 5, 0, 2, 3] as const;
/** Told also where there is none. */
const ALWAYS: ReadonlySet<number> = new Set([0, 1, 2]);

interface Props {
  counts: Counts;
  /** More than are counted when there are too many for a map. */
  total: number;
  placeless: number;
}

/** How many there are of each status, and how many have no place. */
export function StatusCounts({ counts, total, placeless }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <dl className={classes.counts} data-testid="map-counts">
      <div>
        <dt>{t('map:count.all')}</dt>
        <dd className="number">{total}</dd>
      </div>
      {STATUSES.filter((status) => ALWAYS.has(status) || counts[status] > 0).map((status) => (
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
