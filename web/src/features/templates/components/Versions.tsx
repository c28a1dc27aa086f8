import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Paging } from '@/components/Paging';
import { usePages, useStepBack } from '@/components/usePages';
import { DataTable } from '@/components/table/DataTable';
import type { Column } from '@/components/table/columns';
import { formatDateTime } from '@/lib/time';
import { versionsQuery } from '../api';
import type { TemplateRow, TemplateVersionRow } from '../api';

interface Props {
  node: TemplateRow;
  onShow: (number: number) => void;
}

/** Every version of a template, the newest first. */
export default function Versions({ node, onShow }: Props): ReactElement {
  const { t } = useTranslation();
  const pages = usePages();
  const query = useQuery(versionsQuery(node.template_id, pages.page, pages.limit));
  useStepBack(pages, query);
  const columns = useVersionColumns(onShow);
  const total = query.data?.total ?? 0;
  return (
    <>
      <DataTable
        name="template-versions"
        label={t('templates:view.versions')}
        columns={columns}
        rows={query.data?.rows ?? []}
        rowId={(row) => row.number}
        query={query}
        total={total}
      />
      <Paging pages={pages} total={total} />
    </>
  );
}

function useVersionColumns(onShow: (number: number) => void): readonly Column<TemplateVersionRow>[] {
  const { t } = useTranslation();
  return useMemo(
    (): Column<TemplateVersionRow>[] => [
      {
        id: 'number',
        title: t('templates:field.version'),
        cell: (row) => `v${row.number}`,
        text: (row) => String(row.number),
        fixed: true,
        card: 'title',
      },
      { id: 'note', title: t('templates:field.note'), cell: (row) => row.note, text: (row) => row.note, card: 'fact' },
      {
        id: 'points',
        title: t('templates:points'),
        cell: (row) => <span className="number">{row.points}</span>,
        text: (row) => String(row.points),
        align: 'right',
        card: 'fact',
      },
      {
        id: 'author',
        title: t('templates:field.author'),
        cell: (row) => row.author,
        text: (row) => row.author,
        card: 'fact',
      },
      {
        id: 'created',
        title: t('templates:field.created'),
        cell: (row) => formatDateTime(row.created_ms),
        text: (row) => formatDateTime(row.created_ms),
        card: 'fact',
      },
      {
        id: 'show',
        title: t('templates:field.actions'),
        card: 'mark',
        cell: (row) => (
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => onShow(row.number)}
            data-testid={`version-show-${row.number}`}
          >
            {t('templates:show')}
          </Button>
        ),
      },
    ],
    [t, onShow],
  );
}
