import { Button, SegmentedControl, Select, Skeleton } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { lazy, Suspense, useId, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { SearchBox } from '../SearchBox';
import { usePhone } from '../table/usePhone';
import type { ListState } from '../useListState';
import type { Range } from '../useRange';
import { rangeOf, setCount } from './filters';
import type { Filter } from './filters';
import classes from './resource.module.css';

const DateRangePicker = lazy(() => import('../DateRangePicker').then((part) => ({ default: part.DateRangePicker })));

interface Props {
  filters: readonly Filter[];
  list: ListState;
  range: Range;
}

/** All filters in a line; on a phone the search, and a button that opens the others below. */
export function FilterBar(props: Props): ReactElement {
  return usePhone() ? <PhoneFilters {...props} /> : <Fields {...props} />;
}

function Fields({ filters, list, range }: Props): ReactElement {
  return (
    <>
      {filters.map((filter) => (
        <FilterField key={filter.kind === 'range' ? 'range' : filter.name} filter={filter} list={list} range={range} />
      ))}
    </>
  );
}

function PhoneFilters(props: Props): ReactElement | null {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const id = useId();
  const { filters, list, range } = props;
  const searches = filters.filter(({ kind }) => kind === 'search');
  const others = filters.filter(({ kind }) => kind !== 'search');
  const count = setCount(filters, list.filters, range.quick !== rangeOf(filters));
  if (filters.length === 0) return null;
  return (
    <>
      <div className={classes.phoneLine}>
        <Fields {...props} filters={searches} />
        {others.length === 0 ? null : (
          <Button
            variant={count === 0 ? 'default' : 'light'}
            leftSection={<IconFilter size={16} stroke={1.6} />}
            onClick={() => setOpen(!open)}
            aria-expanded={open}
            aria-controls={open ? id : undefined}
            data-testid="filters-open"
          >
            {count === 0 ? t('base:table.filter') : t('base:table.filtersSet', { count })}
          </Button>
        )}
      </div>
      {open ? (
        <div
          id={id}
          className={classes.phoneFilters}
          role="group"
          aria-label={t('base:table.filter')}
          data-testid="filters"
        >
          <Fields {...props} filters={others} />
        </div>
      ) : null}
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
