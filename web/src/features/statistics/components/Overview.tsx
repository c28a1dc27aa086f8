import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PreviousData } from '@/components/PreviousData';
import { Trouble } from '@/components/Trouble';
import { useRange } from '@/components/useRange';
import { useTab } from '@/lib/tab';
import { totalQuery } from '../api';
import type { Totals } from '../api';
import { percent } from '../figures';
import classes from '../statistics.module.css';
import { DayBars } from './DayBars';
import { useSpanWords } from './useSpanWords';

/** All gateways of the report together: totals, and two rows of bars over its days. */
export function Overview(): ReactElement {
  const { t } = useTranslation();
  const spanWords = useSpanWords();
  const { search } = useTab();
  const { span } = useRange('past7Days');
  const { data, error, isPlaceholderData, refetch } = useQuery(totalQuery(span, search.search));
  if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
  const totals = data?.totals;
  const count = (value: number | undefined): string => (value === undefined ? '-' : String(value));
  return (
    <section className={classes.panel} aria-label={t('statistics:overview')} data-testid="statistics-overview">
      <PreviousData isOld={isPlaceholderData}>
        <dl className={classes.totals}>
          <Fact name={t('statistics:total.devices')} value={count(totals?.devices)} />
          <Fact name={t('statistics:total.alarms')} value={count(totals?.alarms)} />
          <Fact name={t('statistics:total.unhandled')} value={count(totals?.unhandled)} />
          <Fact name={t('statistics:total.offline')} value={count(totals?.offline_count)} />
          <Fact
            name={t('statistics:total.offlineTime')}
            value={totals === undefined ? '-' : spanWords(totals.offline_ms)}
          />
          <Fact
            name={t('statistics:total.available')}
            value={percent(totals?.available ?? null)}
            note={totals === undefined ? '' : meanNote(t, totals)}
          />
        </dl>
        <div className={classes.charts}>
          <DayBars title={t('statistics:day.alarms')} tone="bad" days={data?.days ?? []} value={(day) => day.alarms} />
          <DayBars
            title={t('statistics:day.offline')}
            tone="warn"
            days={data?.days ?? []}
            value={(day) => day.offline}
          />
        </div>
      </PreviousData>
    </section>
  );
}

/** Of how many gateways the mean is, and how many are left out because they never connected. */
function meanNote(t: TFunction, { available_of: of, devices, never_connected: never }: Totals): string {
  if (of === devices) return '';
  return never === 0 ? t('statistics:meanOf', { of, devices }) : t('statistics:meanOfNever', { of, devices, never });
}

function Fact({ name, value, note = '' }: { name: string; value: string; note?: string }): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value}
        {note === '' ? null : (
          <span className={classes.note} data-testid="mean-note">
            {note}
          </span>
        )}
      </dd>
    </div>
  );
}
