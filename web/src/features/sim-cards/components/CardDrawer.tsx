import { Drawer, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ExpiryText } from '@/components/ExpiryText';
import page from '@/components/page.module.css';
import { ScreenLink } from '@/components/ScreenLink';
import { Trouble } from '@/components/Trouble';
import { usePhone } from '@/components/table/usePhone';
import { formatDateTime } from '@/lib/time';
import { dataText, dayMs, moneyText } from '../amounts';
import { cardQuery } from '../api';
import type { CardDetail } from '../api';
import { BindField } from './BindField';
import { ForecastText } from './ForecastText';
import { UsageChart } from './UsageChart';
import { PlaceText } from './useCardColumns';

const UNKNOWN_SIGNAL = 99;
const DAYS = ['activated_on', 'outbound_on', 'created_on', 'silent_until', 'test_until'] as const;
const data = (bytes: number | null | undefined): string =>
  bytes === null || bytes === undefined ? '-' : dataText(bytes);

/** One card: where it is, what it uses and costs. */
export default function CardDrawer({ id, onClose }: { id: number; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const phone = usePhone();
  const { data: detail, error, refetch } = useQuery(cardQuery(id));
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={phone ? '100%' : 640}
      title={detail === undefined ? t('sim-cards:card') : t('sim-cards:cardOf', { iccid: detail.card.iccid })}
      closeButtonProps={{ 'aria-label': t('base:action.close') }}
      data-testid="sim-card"
    >
      {error === null ? null : <Trouble error={error} onRetry={() => void refetch()} />}
      {detail === undefined ? error === null ? <Skeleton h={320} /> : null : <Facts detail={detail} />}
    </Drawer>
  );
}

function Facts({ detail }: { detail: CardDetail }): ReactElement {
  const { t } = useTranslation();
  const { card, modem } = detail;
  return (
    <Stack gap="md">
      <FactList
        facts={[
          ['gateway', <PlaceText key="gateway" row={card} />],
          ['status', t(`sim-cards:status.${card.status ?? 'active'}`)],
          ['expires_on', card.expires_on ? <ExpiryText key="expiry" ms={dayMs(card.expires_on)} /> : '-'],
          ['operator', t(`sim-cards:operator.${card.operator ?? 'other'}`)],
          ['supplier', card.supplier || '-'],
          ['plan_title', card.plan_title || '-'],
          ['balance', card.balance_fen == null ? '-' : moneyText(card.balance_fen)],
          [
            'period',
            card.billing_begin || card.billing_end ? `${card.billing_begin ?? '…'} - ${card.billing_end ?? '…'}` : '-',
          ],
          ['activated', t(`sim-cards:yes.${card.activated ?? false}`)],
          ...DAYS.map((day): Fact => [day, card[day] ?? '-']),
          ['test_usage', data(card.test_bytes)],
          ['owner', card.owner_name || t('sim-cards:platform')],
          ['remark', card.remark || '-'],
        ]}
      />
      {card.moved_ms === null ? null : (
        <Text size="sm" c="red" role="alert" data-testid="sim-moved">
          {t('sim-cards:movedSince', { at: formatDateTime(card.moved_ms) })}{' '}
          {card.seen === null ? (
            t('sim-cards:seenHidden')
          ) : (
            <ScreenLink path="/deviceDetail/index" search={{ device_id: card.seen.id }}>
              {t('sim-cards:seenIn', { gateway: card.seen.title })}
            </ScreenLink>
          )}
        </Text>
      )}
      <BindField key={card.changed_ms} card={card} />
      <Usage detail={detail} />
      {modem === null ? null : (
        <section aria-label={t('sim-cards:modem.title')}>
          <Text fw={600}>{t('sim-cards:modem.title')}</Text>
          <FactList
            facts={[
              ['imei', modem.imei || '-'],
              ['iccid', modem.iccid || t('sim-cards:modem.noCard')],
              ['signal', modem.signal === UNKNOWN_SIGNAL ? t('sim-cards:modem.unknown') : `${modem.signal} / 31`],
              ['reported', formatDateTime(modem.reported_ms)],
            ]}
          />
        </section>
      )}
    </Stack>
  );
}

function Usage({ detail }: { detail: CardDetail }): ReactElement {
  const { t } = useTranslation();
  const { card, comparison } = detail;
  const { forecast } = card;
  const { counted_from: begun = null } = comparison;
  const reason = comparison.reason === 'partial' && begun === null ? 'not_counted' : (comparison.reason ?? '');
  return (
    <section aria-label={t('sim-cards:usage.title')}>
      <Text fw={600}>{t('sim-cards:usage.title')}</Text>
      <FactList
        facts={[
          ['plan_data', data(card.plan_bytes)],
          ['used', data(forecast.used_bytes)],
          ['mean', data(forecast.mean_bytes)],
          ['forecast', <ForecastText key="forecast" forecast={forecast} />],
          ['billed', comparison.day == null ? '-' : `${data(comparison.billed_bytes)} (${comparison.day})`],
          ['counted', data(comparison.counted_bytes)],
          ['difference', data(comparison.difference_bytes)],
        ]}
      />
      <Text size="xs" c="dimmed" data-testid="sim-forecast-text">
        {(forecast.reason ?? '') === ''
          ? t('sim-cards:forecast.basis', {
              basis: t(`sim-cards:forecast.of.${forecast.basis === 'billed' ? 'billed' : 'counted'}`),
              count: forecast.days ?? 0,
              end: data(forecast.end_bytes),
              margin: data(forecast.end_margin_bytes),
            })
          : t(`sim-cards:forecast.why.${forecast.reason ?? 'no_usage'}`)}
      </Text>
      {reason === '' ? null : (
        <Text size="xs" c="dimmed">
          {t(`sim-cards:comparison.${reason}`, { day: begun ?? '' })}
        </Text>
      )}
      <UsageChart card={card} />
    </section>
  );
}

type Fact = readonly [name: string, value: ReactNode];

function FactList({ facts }: { facts: readonly Fact[] }): ReactElement {
  const { t } = useTranslation();
  return (
    <dl className={page.facts}>
      {facts.map(([name, value]) => (
        <div key={name} data-fact={name}>
          <dt>{t(`sim-cards:field.${name}`)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
