import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import page from '@/components/page.module.css';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { serverNow } from '@/lib/serverClock';
import type { BadgeTone } from '@/lib/statusCodes';
import { formatDateTime } from '@/lib/time';
import { isOpen } from '../api';
import type { DeliveryRow } from '../api';

const TONES: Readonly<Record<DeliveryRow['state'], BadgeTone>> = {
  queued: 'info',
  held: 'off',
  sent: 'ok',
  failed: 'bad',
  dropped: 'warn',
};

/** What is known of when an open one is sent. */
function waitOf({ attempts, reason, due_ms }: DeliveryRow): 'sending' | 'dueAt' | 'until' | 'next' {
  if (attempts > 0) return reason === '' ? 'sending' : 'dueAt';
  return due_ms > serverNow() ? 'until' : 'next';
}

export function useDeliveryColumns(): readonly Column<DeliveryRow>[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const state = (row: DeliveryRow): string => t(`base:delivery.state.${row.state}`);
    const why = (row: DeliveryRow): string => {
      if (row.state === 'sent') return row.sent_ms === null ? '' : formatDateTime(row.sent_ms);
      const reason = row.reason === '' ? '' : t(`base:delivery.reason.${row.reason}`);
      if (!isOpen(row)) return reason;
      return [reason, t(`contacts:wait.${waitOf(row)}`, { at: formatDateTime(row.due_ms) })]
        .filter((each) => each !== '')
        .join(' · ');
    };
    const who = (row: DeliveryRow): string => row.name || t('contacts:nobody');
    const channel = (row: DeliveryRow): string =>
      row.channel === '' ? '–' : t(`base:delivery.channel.${row.channel}`);
    const what = (row: DeliveryRow): string => {
      const said = row.subject || t('contacts:changes', { count: row.count });
      return row.is_test ? `[${t('contacts:test.mark')}] ${said}` : said;
    };
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
