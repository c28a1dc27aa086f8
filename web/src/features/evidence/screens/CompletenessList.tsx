import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Paging } from '@/components/Paging';
import { DataTable } from '@/components/table/DataTable';
import { useRange } from '@/components/useRange';
import { usePreferences } from '@/lib/preferences';
import { useTab } from '@/lib/tab';
import { allQuery } from '../api';
import type { GatewayCompleteness } from '../api';
import { RangeBar } from '../components/RangeBar';
import { useGatewayColumns } from '../components/useGatewayColumns';
import classes from '../evidence.module.css';

/** Values of 'sort' in the address, as the cloud reads them. */
const SORTS = { percent: 'worst', '-missing': 'missing', device_title: 'title' } as const;
type Sort = keyof typeof SORTS;
const NAMES = Object.keys(SORTS) as Sort[];
const rowId = ({ device_id }: GatewayCompleteness): number => device_id;

export default function CompletenessList(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const range = useRange('past7Days');
  const limit = usePreferences((state) => state.pageSize);
  const setLimit = usePreferences((state) => state.setPageSize);
  const asked = Number(search.page ?? 1);
  const page = Number.isInteger(asked) && asked >= 1 ? asked : 1;
  const sort = NAMES.find((name) => name === search.sort) ?? 'percent';
  const query = useQuery(allQuery(range.span, page, limit, sort));
  const columns = useGatewayColumns({ range: search.range, start: search.start, end: search.end });
  return (
    <section className={classes.panel}>
      <RangeBar title={<h1>{t('evidence:title')}</h1>} range={range}>
        <Select
          aria-label={t('evidence:sort.label')}
          data={NAMES.map((value) => ({ value, label: t(`evidence:sort.${SORTS[value]}`) }))}
          value={sort}
          onChange={(value) => setSearch({ sort: value === 'percent' ? undefined : (value ?? undefined), page: undefined })}
          allowDeselect={false}
          w={170}
          data-testid="sort"
        />
      </RangeBar>
      <DataTable
        name="completeness"
        label={t('evidence:title')}
        columns={columns}
        rows={query.data?.rows ?? []}
        rowId={rowId}
        query={query}
        total={query.data?.total}
        before={(page - 1) * limit}
        empty={{ title: t('evidence:list.nothing'), text: t('evidence:list.nothingText') }}
      />
      {query.data === undefined || query.data.total === 0 ? null : (
        <div className={classes.foot}>
          <Paging
            page={page}
            limit={limit}
            total={query.data.total}
            onPage={(next) => setSearch({ page: next === 1 ? undefined : next }, 'push')}
            onLimit={(next) => {
              setLimit(next);
              setSearch({ page: undefined });
            }}
          />
        </div>
      )}
    </section>
  );
}
