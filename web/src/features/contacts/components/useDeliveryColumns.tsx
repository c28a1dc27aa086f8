import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import page from '@/components/page.module.css';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import type { BadgeTone } from '@/lib/statusCodes';
import { formatDateTime } from '@/lib/time';
import type { DeliveryRow } from '../api';

const TONES: Readonly<Record<DeliveryRow['state'], BadgeTone>> = {
  queued: 'info',
  held: 'off',
  sent: 'ok',
  failed: 'bad',
  dropped: 'warn',
};

export function useDeliveryColumns(): readonly Column<DeliveryRow>[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const state = (row: DeliveryRow): string => t(`base:delivery.state.${row.state}`);
    const why = (row: DeliveryRow): string => {
      if (row.state === 'sent') return row.sent_ms === null ? '' : formatDateTime(row.sent_ms);
      if (row.reason !== '') return t(`base:delivery.reason.${row.reason}`);
      return t('contacts:dueAt', { at: formatDateTime(row.due_ms) });
    };
    const who = (row: DeliveryRow): string => row.name || t('contacts:nobody');
    const channel = (row: DeliveryRow): string =>
      row.channel === '' ? '–' : t(`base:delivery.channel.${row.channel}`);
    const what = (row: DeliveryRow): string => row.subject || t('contacts:changes', { count: row.count });
    return [
      {
        id: 'at',
        title: t('contacts:field.at'),
        fixed: true,
        card: 'fact',
        cell: (row) => <span className="number">{formatDateTime(row.created_ms)}</span>,
        text: (row) => formatDateTime(row.created_ms),
      },
      {
        id: 'name',
        title: t('contacts:field.recipient'),
        card: 'title',
        cell: (row) => (
          <span>
            {who(row)}
            <span className={page.sub}>{row.address}</span>
          </span>
        ),
        text: (row) => `${who(row)} ${row.address}`.trim(),
      },
      {
        id: 'channel',
        title: t('contacts:field.channel'),
        card: 'fact',
        cell: channel,
        text: channel,
      },
      { id: 'subject', title: t('contacts:field.subject'), card: 'fact', cell: what, text: what },
      {
        id: 'state',
        title: t('contacts:field.state'),
        card: 'mark',
        cell: (row) => (
          <>
            <ToneText tone={TONES[row.state]}>{state(row)}</ToneText>
            <span className={page.sub}>{why(row)}</span>
            {row.detail === '' ? null : <span className={page.sub}>{row.detail}</span>}
          </>
        ),
        text: (row) => `${state(row)} ${why(row)} ${row.detail}`.trim(),
      },
      {
        id: 'attempts',
        title: t('contacts:field.attempts'),
        cell: (row) => <span className="number">{row.attempts}</span>,
        text: (row) => String(row.attempts),
      },
    ];
  }, [t]);
}
