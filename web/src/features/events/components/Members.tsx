import { Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Paging } from '@/components/Paging';
import { DataTable, DIALOG_TABLE_PX } from '@/components/table/DataTable';
import { usePages, useStepBack } from '@/components/usePages';
import { levelsQuery, membersQuery } from '../api';
import type { AlarmRow, Members as Which, Part } from '../api';
import { RowActions } from './RowActions';
import { useAlarmColumns } from './useAlarmColumns';

const NO_LEVELS: readonly never[] = [];
const EVERYTHING: Part = {};
const SHOWN: ReadonlySet<string> = new Set(['at', 'slave', 'content', 'value', 'state']);
const actions = (row: AlarmRow): ReactElement => <RowActions row={row} />;
const rowId = ({ id }: AlarmRow): number => id;

interface Props {
  title: string;
  members: Which;
  part?: Part;
  onClose: () => void;
}

/** Events that one row of a list stands for. */
export function Members({ title, members, part = EVERYTHING, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const pages = usePages('');
  const query = useQuery(membersQuery(members, part, pages.page, pages.limit));
  useStepBack(pages, query);
  const { data: levels = NO_LEVELS } = useQuery(levelsQuery);
  const all = useAlarmColumns(levels);
  const columns = useMemo(
    () => [
      ...all
        .filter(({ id }) => SHOWN.has(id))
        .map((column) => ({
          ...column,
          hidden: false,
          ...(column.id === 'content' ? { fixed: true, card: 'title' as const } : {}),
        })),
      { id: 'actions', title: t('base:table.actions'), cell: actions },
    ],
    [all, t],
  );
  const total = query.data?.total ?? 0;
  return (
    <Drawer opened onClose={onClose} title={title} size={860} data-testid="alarm-members">
      <DataTable
        name="alarmMembers"
        label={title}
        columns={columns}
        rows={query.data?.rows ?? []}
        rowId={rowId}
        query={query}
        total={total}
        before={(pages.page - 1) * pages.limit}
        height={DIALOG_TABLE_PX}
      />
      <Paging pages={pages} total={total} label={title} />
    </Drawer>
  );
}
