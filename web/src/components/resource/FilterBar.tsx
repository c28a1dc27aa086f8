import { SegmentedControl, Select, Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { SearchBox } from '../SearchBox';
import type { ListState } from '../useListState';
import type { Range } from '../useRange';
import type { Filter } from './filters';

const DateRangePicker = lazy(() => import('../DateRangePicker').then((part) => ({ default: part.DateRangePicker })));

interface Props {
  filters: readonly Filter[];
  list: ListState;
  range: Range;
}

export function FilterBar({ filters, list, range }: Props): ReactElement {
  return (
    <>
      {filters.map((filter) => (
        <FilterField key={filter.kind === 'range' ? 'range' : filter.name} filter={filter} list={list} range={range} />
      ))}
    </>
  );
}

function FilterField({ filter, list, range }: { filter: Filter; list: ListState; range: Range }): ReactElement {
  const { t } = useTranslation();
  if (filter.kind === 'range') {
    return (
      <Suspense fallback={<Skeleton h={32} w={190} />}>
        <DateRangePicker range={range} />
      </Suspense>
    );
  }
  const value = list.filters[filter.name] ?? '';
  const set = (next: string | undefined): void => list.setFilters({ [filter.name]: next });
  switch (filter.kind) {
    case 'search':
      return <SearchBox label={filter.label} value={value} onChange={set} testId={`filter-${filter.name}`} />;
    case 'select':
      return (
        <Select
          aria-label={filter.label}
          placeholder={filter.label}
          data={[...filter.options]}
          value={value === '' ? null : value}
          onChange={(next) => set(next ?? undefined)}
          clearable
          clearButtonProps={{ 'aria-label': t('base:table.clear') }}
          size="sm"
          w={{ base: '100%', sm: 160 }}
          data-testid={`filter-${filter.name}`}
        />
      );
    case 'segments':
      return (
        <SegmentedControl
          size="xs"
          data={[{ value: '', label: t('base:table.all') }, ...filter.options]}
          value={value}
          onChange={(next) => set(next || undefined)}
          aria-label={filter.label}
          data-testid={`filter-${filter.name}`}
        />
      );
    case 'own':
      return <>{filter.render(value, set)}</>;
  }
}
