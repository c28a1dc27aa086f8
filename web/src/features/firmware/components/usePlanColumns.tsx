import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import page from '@/components/page.module.css';
import type { Column } from '@/components/table/columns';
import type { PlanRow } from '../api';
import { countParts } from '../steps';
import { StepBar, usePartWords } from './StepBar';
import { PlanStateText, usePlanWords } from './usePlanWords';

export function usePlanColumns(): readonly Column<PlanRow>[] {
  const { t } = useTranslation();
  const words = usePlanWords();
  const part = usePartWords();
  return useMemo(
    () => [
      {
        id: 'name',
        title: t('firmware:field.plan'),
        fixed: true,
        card: 'title',
        cell: (row) => (
          <>
            <span className={page.title}>{words.title(row)}</span>
            {row.enabled ? null : <span className={page.sub}>{t('firmware:disabled')}</span>}
          </>
        ),
        text: words.title,
      },
      {
        id: 'state',
        title: t('firmware:field.state'),
        card: 'mark',
        cell: (row) => (
          <>
            <PlanStateText plan={row} />
            {words.reason(row) === '' ? null : <span className={page.sub}>{words.reason(row)}</span>}
          </>
        ),
        text: words.state,
      },
      {
        id: 'gateways',
        title: t('firmware:field.gateways'),
        width: 160,
        cell: (row) => (row.counts.total === 0 ? '-' : <StepBar small parts={countParts(row.counts)} />),
        text: (row) => countParts(row.counts).map(part).join(', '),
      },
      {
        id: 'succeeded',
        title: t('firmware:part.succeeded'),
        align: 'right',
        card: 'fact',
        cell: (row) => <span className="number">{`${row.counts.succeeded ?? 0} / ${row.counts.total ?? 0}`}</span>,
        text: (row) => `${row.counts.succeeded ?? 0} / ${row.counts.total ?? 0}`,
      },
      {
        id: 'file',
        title: t('firmware:field.firmware_id'),
        card: 'fact',
        cell: words.file,
        text: words.file,
      },
      {
        id: 'type',
        title: t('firmware:field.upgrade_type'),
        hidden: true,
        cell: (row) => t(`firmware:type.${row.file.upgrade_type}`),
        text: (row) => t(`firmware:type.${row.file.upgrade_type}`),
      },
      { id: 'range', title: t('firmware:field.range'), cell: words.range, text: words.range },
      { id: 'scope', title: t('firmware:field.scope'), cell: words.scope, text: words.scope },
      {
        id: 'count',
        title: t('firmware:field.plan_control_count'),
        align: 'right',
        cell: words.controlCount,
        text: words.controlCount,
      },
      {
        id: 'created_after',
        title: t('firmware:field.created_after_ms'),
        hidden: true,
        cell: words.createdAfter,
        text: words.createdAfter,
      },
      {
        id: 'window',
        title: t('firmware:field.window'),
        hidden: true,
        cell: words.window,
        text: words.window,
      },
      {
        id: 'started',
        title: t('firmware:field.started_ms'),
        hidden: true,
        cell: (row) => words.time(row.started_ms),
        text: (row) => words.time(row.started_ms),
      },
      {
        id: 'changed',
        title: t('firmware:field.changed_ms'),
        cell: (row) => (
          <>
            <span className="number">{words.time(row.changed_ms)}</span>
            <span className={page.sub}>{row.changed_name}</span>
          </>
        ),
        text: (row) => words.time(row.changed_ms),
      },
    ],
    [t, words, part],
  );
}
