import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useLegendWords } from '@/blocks/history/useLegendWords';
import { TimeChart } from '@/charts/TimeChart';
import page from '@/components/page.module.css';
import { Trouble } from '@/components/Trouble';
import { dataText } from '../amounts';
import { usageQuery } from '../api';
import type { CardRow, UsageDay } from '../api';
import { usageChart } from '../usage';

const CHART_PX = 200;
const data = (bytes: number | null): string => (bytes === null ? '-' : dataText(bytes));

/** What was counted and what was billed since the billing period began, with the plan as a limit; the days as a table. */
export function UsageChart({ card }: { card: CardRow }): ReactElement {
  const { t } = useTranslation();
  const legend = useLegendWords();
  const words = useMemo(() => ({ ...legend, series: t('sim-cards:usage.line') }), [legend, t]);
  const { data: days, error, refetch } = useQuery(usageQuery(card.id));
  const chart = useMemo(
    () =>
      days === undefined
        ? null
        : usageChart(days, card, { counted: t('sim-cards:field.counted'), billed: t('sim-cards:field.billed') }),
    [days, card, t],
  );
  const [view, setView] = useState<{ min: number; max: number } | null>(null);
  if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
  if (days === undefined) return <Skeleton h={CHART_PX} />;
  if (days.length === 0) return <Text size="sm">{t('sim-cards:usage.none')}</Text>;
  return (
    <>
      {chart === null ? (
        <Text size="sm">{t('sim-cards:usage.noneInPeriod')}</Text>
      ) : (
        <div data-testid="sim-usage-chart">
          <TimeChart
            series={chart.series}
            min={view?.min ?? chart.min}
            max={view?.max ?? chart.max}
            height={CHART_PX}
            label={t('sim-cards:usage.label')}
            words={words}
            onZoom={(min, max) => setView({ min, max })}
            onReset={() => setView(null)}
          />
        </div>
      )}
      <Days days={days} />
    </>
  );
}

function Days({ days }: { days: readonly UsageDay[] }): ReactElement {
  const { t } = useTranslation();
  return (
    <details>
      <summary>{t('sim-cards:usage.table')}</summary>
      <div className={page.scroll} tabIndex={0} role="region" aria-label={t('sim-cards:usage.table')}>
        <table className={page.table} data-testid="sim-usage-days">
          <thead>
            <tr>
              <th scope="col">{t('sim-cards:usage.day')}</th>
              <th scope="col">{t('sim-cards:usage.received')}</th>
              <th scope="col">{t('sim-cards:usage.sent')}</th>
              <th scope="col">{t('sim-cards:usage.billed')}</th>
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map(({ day, received, sent, billed_bytes }) => (
              <tr key={day}>
                <th scope="row" className="number">
                  {day}
                </th>
                <td className="number">{data(received)}</td>
                <td className="number">{data(sent)}</td>
                <td className="number">{data(billed_bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
