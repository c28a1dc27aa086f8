import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { PreviousData } from '@/components/PreviousData';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { useRange } from '@/components/useRange';
import { useTab } from '@/lib/tab';
import { completenessQuery } from '../api';
import type { Completeness } from '../api';
import { BucketTable } from '../components/BucketTable';
import { CollectionPanel } from '../components/CollectionPanel';
import { Outages } from '../components/Outages';
import { RangeBar } from '../components/RangeBar';
import { Strip } from '../components/Strip';
import { Summary } from '../components/Summary';
import { TransportGapTable } from '../components/TransportGapTable';
import classes from '../completeness.module.css';
import type { Width } from '../strip';

/** What a gateway delivered over a period, what it did not, and why. */
export default function CompletenessTab(): ReactElement {
  const { t } = useTranslation();
  const { search } = useTab();
  const id = Number(search.device_id);
  const range = useRange('past7Days');
  const query = useQuery(completenessQuery(id, range.span));
  const isOld = query.isPlaceholderData;
  return (
    <div data-testid="completeness">
      <RangeBar title={<h2>{t('completeness:title')}</h2>} range={range} />
      {query.data === undefined ? (
        query.error === null ? (
          <PageSkeleton />
        ) : (
          <Trouble error={query.error} onRetry={() => void query.refetch()} />
        )
      ) : (
        <>
          <PreviousData isOld={isOld}>
            <CompletenessDetails data={query.data} width={query.data.width} />
          </PreviousData>
          <CollectionPanel deviceId={id} span={range.span} />
          <TransportGapTable deviceId={id} span={range.span} known={!isOld && query.data.percent !== null} />
          <PreviousData isOld={isOld}>
            <Outages data={query.data} />
          </PreviousData>
        </>
      )}
    </div>
  );
}

function CompletenessDetails({ data, width }: { data: Completeness; width: Width }): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const view = search.cells === 'table' ? 'table' : 'strip';
  if (data.percent === null && data.dropped_samples === 0 && data.collection.percent === null) {
    return (
      <Empty
        title={t('completeness:nothing')}
        text={`${t('completeness:nothingText')} ${t(`completeness:noFigure.${data.collection.no_figure ?? 'nothing_expected'}`)}`}
      />
    );
  }
  return (
    <>
      <Summary data={data} />
      <section className={classes.section}>
        <div className={classes.bar}>
          <h2>{t(`completeness:by.${width}`)}</h2>
          <SegmentedControl
            size="xs"
            data={(['strip', 'table'] as const).map((value) => ({ value, label: t(`completeness:as.${value}`) }))}
            value={view}
            onChange={(value) => setSearch({ cells: value === 'table' ? value : undefined })}
            aria-label={t('completeness:showAs')}
            data-testid="cells-as"
          />
        </div>
        {view === 'table' ? (
          <BucketTable data={data} />
        ) : (
          <div className={classes.area}>
            <Strip data={data} width={width} />
          </div>
        )}
      </section>
    </>
  );
}
