import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeWords } from '@/components/useTimeWords';
import page from '@/components/page.module.css';
import { ScreenLink } from '@/components/ScreenLink';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { formatDateTime } from '@/lib/time';
import type { GatewayPortSession } from '../api';
import { bytesText, endKey } from '../ports';

export function usePortSessionColumns(): readonly Column<GatewayPortSession>[] {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  return useMemo(() => {
    const title = (row: GatewayPortSession): string => row.device_title || row.gateway_id;
    const port = (row: GatewayPortSession): string =>
      `${row.port} · ${row.mode === 'raw' ? t('remote:vcom.raw') : 'RFC 2217'}`;
    const who = (row: GatewayPortSession): string => `${row.user} · ${row.address}`;
    const bytes = (row: GatewayPortSession): string =>
      t('remote:bytes', { to: bytesText(row.bytes_to_gateway), from: bytesText(row.bytes_from_gateway) });
    const lasted = (row: GatewayPortSession): string =>
      row.ended_ms === null ? '-' : duration(row.ended_ms - row.opened_ms);
    const state = (row: GatewayPortSession): string => {
      if (row.ended_ms === null) return t('remote:list.living');
      const key = endKey(row.why);
      return key === null ? row.why : t(key);
    };
    return [
      {
        id: 'device',
        title: t('remote:list.gateway'),
        fixed: true,
        card: 'title',
        cell: (row) => <Gateway row={row} words={title(row)} />,
        text: title,
      },
      { id: 'port', title: t('remote:vcom.port'), card: 'fact', cell: port, text: port },
      { id: 'user', title: t('remote:fact.user'), card: 'fact', cell: who, text: who },
      {
        id: 'opened',
        title: t('remote:past.time'),
        cell: (row) => formatDateTime(row.opened_ms),
        text: (row) => formatDateTime(row.opened_ms),
      },
      { id: 'lasted', title: t('remote:past.duration'), align: 'right', cell: lasted, text: lasted },
      { id: 'bytes', title: t('remote:fact.bytes'), cell: bytes, text: bytes },
      {
        id: 'state',
        title: t('remote:list.state'),
        card: 'mark',
        text: state,
        cell: (row) => <ToneText tone={row.ended_ms === null ? 'ok' : 'off'}>{state(row)}</ToneText>,
      },
    ];
  }, [t, duration]);
}

function Gateway({ row, words }: { row: GatewayPortSession; words: string }): ReactElement {
  return (
    <ScreenLink path="/deviceDetail/index" search={{ device_id: row.device_id, tab: 'remote' }} className={page.title}>
      {words}
    </ScreenLink>
  );
}
