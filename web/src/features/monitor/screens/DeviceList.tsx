import { Button, CloseButton, SegmentedControl, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Paging } from '@/components/Paging';
import { Trouble } from '@/components/Trouble';
import { PAGE_SIZES, usePreferences } from '@/lib/preferences';
import { useTab } from '@/lib/tab';
import { SEARCH_DEBOUNCE_MS, useDebounced } from '@/lib/useDebounced';
import { devicesQuery } from '../api';
import type { DeviceFilter } from '../api';
import { DeviceCards, DeviceTable } from '../components/DeviceTable';
import { useLiveDevices } from '../components/useLiveDevices';
import classes from '../monitor.module.css';
import { isStatus, STATUSES } from '../presence';

/** The filter stands in the address; what is not there or not valid has its default. */
function useFilter(): DeviceFilter {
  const { search } = useTab();
  const preferred = usePreferences((state) => state.pageSize);
  const page = Number(search.page ?? 1);
  const limit = Number(search.limit ?? preferred);
  return {
    page: Number.isInteger(page) && page >= 1 ? page : 1,
    limit: (PAGE_SIZES as readonly number[]).includes(limit) ? limit : preferred,
    search: (search.search ?? '').trim(),
    status: isStatus(search.status ?? '') ? (search.status ?? '') : '',
  };
}

export default function DeviceList(): ReactElement {
  const { t } = useTranslation();
  const { setSearch } = useTab();
  const filter = useFilter();
  const query = useQuery(devicesQuery(filter));
  const setPageSize = usePreferences((state) => state.setPageSize);
  const phone = useMediaQuery('(max-width: 767px)', false, { getInitialValueInEffect: false });
  const rows = query.data?.rows ?? [];
  useLiveDevices(rows.map((row) => row.id));
  useStepBack(filter.page, query.data?.rows.length, setSearch);

  return (
    <section className={classes.panel} aria-busy={query.isFetching}>
      <div className={classes.bar}>
        <h1>{t('monitor:list.title')}</h1>
        <StatusFilter value={filter.status} onChange={(status) => setSearch({ status, page: undefined })} />
        <SearchBox value={filter.search} onChange={(search) => setSearch({ search, page: undefined })} />
      </div>
      <div className={classes.refetching} data-on={query.isFetching && !query.isPending} />
      <Body
        pending={query.isPending}
        error={query.data === undefined ? query.error : null}
        onRetry={() => void query.refetch()}
        filter={filter}
        empty={rows.length === 0}
      >
        {phone ? <DeviceCards devices={rows} /> : <DeviceTable devices={rows} />}
      </Body>
      {query.data === undefined || query.data.total === 0 ? null : (
        <div className={classes.foot}>
          <Paging
            page={filter.page}
            limit={filter.limit}
            total={query.data.total}
            onPage={(page) => setSearch({ page: page === 1 ? undefined : page }, 'push')}
            onLimit={(limit) => {
              setPageSize(limit);
              setSearch({ limit, page: undefined });
            }}
          />
        </div>
      )}
    </section>
  );
}

/** The last row of a later page went away: show the page before. */
function useStepBack(page: number, rows: number | undefined, setSearch: ReturnType<typeof useTab>['setSearch']): void {
  useEffect(() => {
    if (rows === 0 && page > 1) setSearch({ page: page === 2 ? undefined : page - 1 });
  }, [page, rows, setSearch]);
}

interface BodyProps {
  pending: boolean;
  error: unknown;
  onRetry: () => void;
  filter: DeviceFilter;
  empty: boolean;
  children: ReactElement;
}

function Body({ pending, error, onRetry, filter, empty, children }: BodyProps): ReactElement {
  const { t } = useTranslation();
  const { setSearch } = useTab();
  if (error !== null) return <Trouble error={error} onRetry={onRetry} />;
  if (pending) return <PageSkeleton rows={10} />;
  if (!empty) return children;
  if (filter.search === '' && filter.status === '') {
    return <Empty title={t('monitor:list.nothing')} text={t('monitor:list.nothingText')} />;
  }
  return (
    <Empty
      title={t('monitor:list.noMatch')}
      action={
        <Button variant="default" onClick={() => setSearch({ search: undefined, status: undefined, page: undefined })}>
          {t('monitor:list.clear')}
        </Button>
      }
    />
  );
}

function StatusFilter({ value, onChange }: { value: string; onChange: (status: string | undefined) => void }): ReactElement {
  const { t } = useTranslation();
  const data = [
    { value: '', label: t('monitor:status.all') },
    ...STATUSES.map((status) => ({ value: status, label: t(`monitor:status.${status}`) })),
  ];
  return (
    <SegmentedControl
      size="xs"
      data={data}
      value={value}
      onChange={(status) => onChange(status || undefined)}
      aria-label={t('monitor:list.statusFilter')}
      data-testid="status-filter"
    />
  );
}

function SearchBox({ value, onChange }: { value: string; onChange: (search: string | undefined) => void }): ReactElement {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(value);
  const settled = useDebounced(typed, SEARCH_DEBOUNCE_MS).trim();
  const [told, setTold] = useState(value);
  if (value !== told) {
    // The address changed by other means: a link, 'clear', the browser's back.
    setTold(value);
    if (value !== typed.trim()) setTyped(value);
  }
  useEffect(() => {
    if (settled === typed.trim() && settled !== value) onChange(settled || undefined);
    // Only a settled text may change the address.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [settled]);
  return (
    <TextInput
      placeholder={t('monitor:list.search')}
      aria-label={t('monitor:list.search')}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      leftSection={<IconSearch size={16} />}
      rightSection={
        typed === '' ? null : <CloseButton size={26} aria-label={t('monitor:list.clear')} onClick={() => setTyped('')} />
      }
      size="sm"
      w={{ base: '100%', sm: 260 }}
      data-testid="device-search"
    />
  );
}
