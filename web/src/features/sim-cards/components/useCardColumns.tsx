import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ExpiryText } from '@/components/ExpiryText';
import page from '@/components/page.module.css';
import { ScreenLink } from '@/components/ScreenLink';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { dataText, dayMs, moneyText } from '../amounts';
import type { CardRow } from '../api';
import { expectedDigit } from '../draft';
import { ForecastText } from './ForecastText';

const TONES = {
  stock: 'off',
  test: 'info',
  silent: 'info',
  active: 'ok',
  suspended: 'warn',
  cancelled: 'off',
} as const;
const data = (bytes: number | null | undefined): string =>
  bytes === null || bytes === undefined ? '-' : dataText(bytes);

export function useCardColumns(): readonly Column<CardRow>[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const day = (
      name:
        'billing_begin' | 'billing_end' | 'activated_on' | 'outbound_on' | 'created_on' | 'silent_until' | 'test_until',
    ): Column<CardRow> => ({
      id: name,
      title: t(`sim-cards:field.${name}`),
      hidden: true,
      cell: (row) => <span className="number">{row[name] ?? '-'}</span>,
      text: (row) => row[name] ?? '',
    });
    return [
      {
        id: 'iccid',
        title: t('sim-cards:field.iccid'),
        sort: 'iccid',
        fixed: true,
        card: 'title',
        cell: (row) => (
          <>
            <span className={page.title}>{row.iccid}</span>
            {row.suspect ? (
              <span className={page.sub}>{t('sim-cards:suspect', { digit: expectedDigit(row.iccid) ?? '?' })}</span>
            ) : null}
          </>
        ),
        text: (row) => row.iccid,
      },
      {
        id: 'status',
        title: t('sim-cards:field.status'),
        card: 'mark',
        cell: (row) => (
          <ToneText tone={TONES[row.status ?? 'active']}>{t(`sim-cards:status.${row.status ?? 'active'}`)}</ToneText>
        ),
        text: (row) => t(`sim-cards:status.${row.status ?? 'active'}`),
      },
      {
        id: 'gateway',
        title: t('sim-cards:field.gateway'),
        card: 'fact',
        cell: (row) => <PlaceText row={row} />,
        text: (row) => row.gateway?.title ?? '',
      },
      {
        id: 'usage',
        title: t('sim-cards:field.usage'),
        card: 'fact',
        align: 'right',
        cell: (row) => (
          <span className="number">
            {data(row.billed_bytes ?? row.counted_bytes)}
            {row.plan_bytes === null || row.plan_bytes === undefined ? '' : ` / ${dataText(row.plan_bytes)}`}
          </span>
        ),
        text: (row) => data(row.billed_bytes ?? row.counted_bytes),
      },
      {
        id: 'forecast',
        title: t('sim-cards:field.forecast'),
        card: 'fact',
        cell: (row) => <ForecastText forecast={row.forecast} />,
        text: (row) => row.forecast.expected ?? '',
      },
      {
        id: 'expires_on',
        title: t('sim-cards:field.expires_on'),
        sort: 'expires_on',
        cell: (row) => (row.expires_on ? <ExpiryText ms={dayMs(row.expires_on)} /> : '-'),
        text: (row) => row.expires_on ?? '',
      },
      {
        id: 'operator',
        title: t('sim-cards:field.operator'),
        cell: (row) => t(`sim-cards:operator.${row.operator ?? 'other'}`),
        text: (row) => t(`sim-cards:operator.${row.operator ?? 'other'}`),
      },
      {
        id: 'supplier',
        title: t('sim-cards:field.supplier'),
        cell: (row) => row.supplier || '-',
        text: (row) => row.supplier ?? '',
      },
      {
        id: 'billed',
        title: t('sim-cards:field.billed'),
        hidden: true,
        align: 'right',
        cell: (row) => <span className="number">{data(row.billed_bytes)}</span>,
        text: (row) => data(row.billed_bytes),
      },
      {
        id: 'counted',
        title: t('sim-cards:field.counted'),
        hidden: true,
        align: 'right',
        cell: (row) => <span className="number">{data(row.counted_bytes)}</span>,
        text: (row) => data(row.counted_bytes),
      },
      {
        id: 'plan',
        title: t('sim-cards:field.plan_title'),
        hidden: true,
        cell: (row) => row.plan_title || '-',
        text: (row) => row.plan_title ?? '',
      },
      {
        id: 'balance',
        title: t('sim-cards:field.balance'),
        hidden: true,
        align: 'right',
        cell: (row) => <span className="number">{row.balance_fen == null ? '-' : moneyText(row.balance_fen)}</span>,
        text: (row) => (row.balance_fen == null ? '' : moneyText(row.balance_fen)),
      },
      {
        id: 'activated',
        title: t('sim-cards:field.activated'),
        hidden: true,
        cell: (row) => t(`sim-cards:yes.${row.activated ?? false}`),
        text: (row) => t(`sim-cards:yes.${row.activated ?? false}`),
      },
      day('billing_begin'),
      day('billing_end'),
      day('activated_on'),
      day('outbound_on'),
      day('created_on'),
      day('silent_until'),
      day('test_until'),
      {
        id: 'test_usage',
        title: t('sim-cards:field.test_usage'),
        hidden: true,
        align: 'right',
        cell: (row) => <span className="number">{data(row.test_bytes)}</span>,
        text: (row) => data(row.test_bytes),
      },
      {
        id: 'remark',
        title: t('sim-cards:field.remark'),
        hidden: true,
        cell: (row) => row.remark || '-',
        text: (row) => row.remark ?? '',
      },
      {
        id: 'owner',
        title: t('sim-cards:field.owner'),
        hidden: true,
        cell: (row) => row.owner_name || t('sim-cards:platform'),
        text: (row) => row.owner_name,
      },
    ];
  }, [t]);
}

/** The gateway of a card, and whether it has left it. */
export function PlaceText({ row }: { row: CardRow }) {
  const { t } = useTranslation();
  if (!row.bound) return <span>-</span>;
  return (
    <span>
      {row.gateway === null ? (
        t('sim-cards:hiddenGateway')
      ) : (
        <ScreenLink path="/deviceDetail/index" search={{ device_id: row.gateway.id }}>
          {row.gateway.title}
        </ScreenLink>
      )}
      {row.moved_ms === null ? null : (
        <span className={page.sub}>
          <ToneText tone="bad">{t('sim-cards:moved')}</ToneText>
        </span>
      )}
    </span>
  );
}
