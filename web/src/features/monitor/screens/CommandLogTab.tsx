import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PagedTable } from '@/components/table/PagedTable';
import { usePages, useStepBack } from '@/components/usePages';
import { useTab } from '@/lib/tab';
import { commandsQuery, sourcesQuery } from '../api';
import type { CommandStatus } from '../api';
import { useCommandColumns } from '../components/useCommandColumns';
import { useDevice } from '../components/useDevice';
import classes from '../monitor.module.css';

const rowId = ({ id }: CommandStatus): string => id;
const rowData = ({ status }: CommandStatus) => ({ 'data-status': status });

/** Commands to the gateway and its points, the newest first; of one batch when the address names it. */
export default function CommandLogTab(): ReactElement {
  const { t } = useTranslation();
  const { id } = useDevice();
  const { search, setSearch } = useTab();
  const batch = search.batch;
  const pages = usePages(batch);
  const { page, limit } = pages;
  const query = useQuery(commandsQuery(id, page, limit, batch));
  useStepBack(pages, query);
  const sources = useQuery(sourcesQuery(id));
  const byId = useMemo(() => new Map((sources.data ?? []).map((source) => [source.dsid, source])), [sources.data]);
  const columns = useCommandColumns(byId);
  const total = query.data?.total ?? 0;
  const showAll = (): void => setSearch({ batch: undefined }, 'push');
  return (
    <>
      {batch === undefined ? null : (
        <div className={classes.bar}>
          <h2>{t('monitor:cmdlog.ofBatch', { count: total })}</h2>
          <Button variant="default" onClick={showAll}>
            {t('monitor:cmdlog.all')}
          </Button>
        </div>
      )}
      <PagedTable
        name="command"
        label={t('monitor:tab.cmdlog')}
        columns={columns}
        rowId={rowId}
        rowData={rowData}
        pages={pages}
        query={query}
        filtered={batch !== undefined}
        onClear={showAll}
        empty={{ title: t('monitor:cmdlog.nothing') }}
      />
    </>
  );
}
