import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Paging } from '@/components/Paging';
import { DataTable } from '@/components/table/DataTable';
import { useListState } from '@/components/useListState';
import { useStepBack } from '@/components/usePages';
import { ownSignInsQuery } from '../api';
import type { SignInRow } from '../api';
import { useSignInColumns } from './signInColumns';

const idOf = (row: SignInRow): number => row.id;

/** The signed-in user's own attempts: one that was not his shows that somebody tries. */
export function MySignIns(): ReactElement {
  const { t } = useTranslation();
  const columns = useSignInColumns(true);
  const list = useListState();
  const query = useQuery({ ...ownSignInsQuery(list.page, list.limit), placeholderData: keepPreviousData });
  useStepBack(list, query);
  const { rows = [], total = 0 } = query.data ?? {};
  return (
    <>
      <p>{t('users:me.signinsHint')}</p>
      <DataTable
        name="own-signins"
        label={t('users:me.signins')}
        columns={columns}
        rows={rows}
        rowId={idOf}
        query={query}
        total={total}
        before={(list.page - 1) * list.limit}
      />
      <Paging pages={list} total={total} />
    </>
  );
}
