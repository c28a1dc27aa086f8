import { Button } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, CODE } from '@/api/errors';
import { Empty } from '../Empty';
import { PageSkeleton } from '../PageSkeleton';
import { Trouble } from '../Trouble';
import type { TableQuery } from './columns';

export interface EmptyWords {
  /** Said when there is nothing at all. */
  title: string;
  text?: string;
  action?: ReactNode;
}

interface Props {
  query: TableQuery;
  rows: number;
  /** A filter is set; onClear takes it away. */
  filtered: boolean;
  onClear?: (() => void) | undefined;
  empty?: EmptyWords | undefined;
  skeletonRows: number;
  children: ReactNode;
}

/** The rows; or, in their place, that they load, failed, may not be seen, are none, or that no one matches. */
export function TableState({ query, rows, filtered, onClear, empty, skeletonRows, children }: Props): ReactNode {
  const { t } = useTranslation();
  if (rows > 0) return children;
  if (query.error !== null && query.error !== undefined) return <Failed query={query} />;
  if (query.isPending) return <PageSkeleton rows={skeletonRows} />;
  if (!filtered)
    return <Empty title={empty?.title ?? t('base:table.nothing')} text={empty?.text} action={empty?.action} />;
  return (
    <Empty
      title={t('base:table.noMatch')}
      action={
        onClear === undefined ? undefined : (
          <Button variant="default" onClick={onClear} data-testid="table-clear">
            {t('base:table.clear')}
          </Button>
        )
      }
    />
  );
}

function Failed({ query }: { query: TableQuery }): ReactElement {
  const { t } = useTranslation();
  const refused = query.error instanceof ApiError && query.error.facts.code === CODE.NO_PERMISSION;
  if (refused) return <Empty title={t('base:table.noPermission')} text={t('base:table.noPermissionText')} />;
  return <Trouble error={query.error} onRetry={() => void query.refetch()} />;
}
