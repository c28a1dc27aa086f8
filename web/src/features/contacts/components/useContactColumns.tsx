import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import page from '@/components/page.module.css';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import type { ContactRow } from '../api';

export function useContactColumns(): readonly Column<ContactRow>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        id: 'name',
        title: t('contacts:field.name'),
        fixed: true,
        card: 'title',
        cell: (row) => <span className={page.title}>{row.name}</span>,
        text: (row) => row.name,
      },
      ...(['phone', 'email', 'wechat'] as const).map((name) => ({
        id: name,
        title: t(`contacts:field.${name}`),
        card: 'fact' as const,
        cell: (row: ContactRow) => row[name] || '-',
        text: (row: ContactRow) => row[name] ?? '',
      })),
      {
        id: 'groups',
        title: t('contacts:field.groups'),
        cell: (row) => row.groups.join(', ') || '-',
        text: (row) => row.groups.join(', '),
      },
      {
        id: 'state',
        title: t('contacts:field.state'),
        card: 'mark',
        cell: (row) => <ToneText tone={row.enabled ? 'ok' : 'off'}>{t(`contacts:enabled.${row.enabled}`)}</ToneText>,
        text: (row) => t(`contacts:enabled.${row.enabled}`),
      },
      {
        id: 'owner',
        title: t('contacts:field.owner'),
        cell: (row) => row.user_name || t('contacts:platform'),
        text: (row) => row.user_name,
      },
    ],
    [t],
  );
}
