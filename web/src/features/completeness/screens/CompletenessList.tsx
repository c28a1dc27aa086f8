import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Paging } from '@/components/Paging';
import { DataTable } from '@/components/table/DataTable';
import { useListState } from '@/components/useListState';
import { useStepBack } from '@/components/usePages';
import { useRange } from '@/components/useRange';
import { useTab } from '@/lib/tab';
import { allQuery } from '../api';
import type { GatewayCompleteness } from '../api';
import { RangeBar } from '../components/RangeBar';
import { useGatewayColumns } from '../components/useGatewayColumns';
import classes from '../completeness.module.css';

/** Values of 'sort' in the address, as the cloud reads them. */
const SORTS = { collection: 'reads', percent: 'worst', '-missing': 'missing', device_title: 'title' } as const;
type Sort = keyof typeof SORTS;
const NAMES = Object.keys(SORTS) as Sort[];
const rowId = ({ device_id }: GatewayCompleteness): number => device_id;

export default function CompletenessList(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const range = useRange('past7Days');
  const list = useListState();
  const sort = NAMES.find((name) => name === search.sort) ?? 'collection';
  const query = useQuery(allQuery(range.span, list.page, list.limit, sort));
  useStepBack(list, query);
  const columns = useGatewayColumns({ range: search.range, start: search.start, end: search.end });
  return (
    <section className={classes.panel}>
      <RangeBar title={<h1>{t('completeness:title')}</h1>} range={range}>
        <Select
          aria-label={t('completeness:sort.label')}
          data={NAMES.map((value) => ({ value, label: t(`completeness:sort.${SORTS[value]}`) }))}
          value={sort}
          onChange={(value) =>
            setSearch({ sort: value === 'collection' ? undefined : (value ?? undefined), page: undefined })
          }
          allowDeselect={false}
          w={210}
          data-testid="sort"
        />
      </RangeBar>
      <DataTable
        name="completeness"
        label={t('completeness:title')}
        columns={columns}
        rows={query.data?.rows ?? []}
        rowId={rowId}
        query={query}
        total={query.data?.total}
        before={(list.page - 1) * list.limit}
        empty={{ title: t('completeness:list.nothing'), text: t('completeness:list.nothingText') }}
      />
      <Paging pages={list} total={query.data?.total ?? 0} />
    </section>
  );
}
