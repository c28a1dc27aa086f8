import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PagedTable } from '@/components/table/PagedTable';
import { usePages, useStepBack } from '@/components/usePages';
import { useTab } from '@/lib/tab';
import { commandsQuery, sourcesQuery } from '../api';
import type { CommandFilter, CommandStatus } from '../api';
import { useCommandColumns } from '../components/useCommandColumns';
import { useDevice } from '../components/useDevice';
import classes from '../monitor.module.css';

const rowId = ({ id }: CommandStatus): string => id;
const rowData = ({ status }: CommandStatus) => ({ 'data-status': status });

const ORIGINS = ['people', 'trigger', 'exchange', 'task'] as const;
type Origin = (typeof ORIGINS)[number];

/** The filter of the address; what is no origin there is none. */
function filterOf(search: Readonly<Record<string, string>>): CommandFilter {
  const origin = ORIGINS.find((each) => each === search.origin);
  const number = Number(search.origin_id);
  const isOne = origin !== undefined && origin !== 'people' && Number.isSafeInteger(number) && number > 0;
  return {
    batch_id: search.batch || undefined,
    origin,
    origin_id: isOne ? number : undefined,
  };
}

/** Commands to the gateway and its points, the newest first; of one batch or origin when the address names it. */
export default function CommandLogTab(): ReactElement {
  const { t } = useTranslation();
  const { id } = useDevice();
  const { search, setSearch } = useTab();
  const { batch, origin = '', origin_id: originId } = search;
  const filter = useMemo(
    () => filterOf({ batch: batch ?? '', origin, origin_id: originId ?? '' }),
    [batch, origin, originId],
  );
  const pages = usePages(JSON.stringify(filter));
  const { page, limit } = pages;
  const query = useQuery(commandsQuery(id, page, limit, filter));
  useStepBack(pages, query);
  const sources = useQuery(sourcesQuery(id));
  const byId = useMemo(() => new Map((sources.data ?? []).map((source) => [source.dsid, source])), [sources.data]);
  const columns = useCommandColumns(byId);
  const total = query.data?.total ?? 0;
  const { batch_id: ofBatch, origin: from, origin_id: ofOne } = filter;
  const set = (changes: { batch?: string; origin?: Origin | undefined }): void =>
    setSearch({ batch: undefined, origin: undefined, origin_id: undefined, ...changes }, 'push');
  const showAll = (): void => set({});
  const name = query.data?.rows[0]?.origin?.title || `#${ofOne}`;
  const heading =
    ofBatch !== undefined
      ? t('monitor:cmdlog.ofBatch', { count: total })
      : ofOne !== undefined
        ? t(`monitor:cmdlog.ofOne.${from}`, { name })
        : null;
  return (
    <>
      <div className={classes.bar}>
        {heading === null ? (
          <Select
            aria-label={t('monitor:cmdlog.origin')}
            placeholder={t('monitor:cmdlog.origin')}
            data={ORIGINS.map((value) => ({ value, label: t(`monitor:cmdlog.from.${value}`) }))}
            value={from ?? null}
            onChange={(next) => set({ origin: ORIGINS.find((each) => each === next) })}
            clearable
            w={{ base: '100%', sm: 200 }}
            data-testid="filter-origin"
          />
        ) : (
          <>
            <h2>{heading}</h2>
            <Button variant="default" onClick={showAll}>
              {t('monitor:cmdlog.all')}
            </Button>
          </>
        )}
      </div>
      <PagedTable
        name="command"
        label={t('monitor:tab.cmdlog')}
        columns={columns}
        rowId={rowId}
        rowData={rowData}
        pages={pages}
        query={query}
        filtered={ofBatch !== undefined || from !== undefined}
        onClear={showAll}
        empty={{ title: t('monitor:cmdlog.nothing') }}
      />
    </>
  );
}
