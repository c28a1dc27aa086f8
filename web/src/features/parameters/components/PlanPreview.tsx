import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FieldChange } from '@/blocks/deployment/FieldChange';
import { codeKey } from '@/blocks/jobs/campaign';
import { Empty } from '@/components/Empty';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Paging } from '@/components/Paging';
import { PreviousData } from '@/components/PreviousData';
import { ruleText } from '@/components/ruleText';
import { ToneText } from '@/components/Tone';
import { Trouble } from '@/components/Trouble';
import { usePages, useStepBack } from '@/components/usePages';
import { previewQuery } from '../api';
import type { PlanGateway, PlanRow } from '../api';
import type { Group } from '../model/schema';
import classes from '../parameters.module.css';
import { useWords } from '../useWords';

/** What the plan would change now, gateway by gateway, and which ones it leaves out for what reason. */
export function PlanPreview({ plan, groups }: { plan: PlanRow; groups: readonly Group[] }): ReactElement {
  const { t } = useTranslation();
  const pages = usePages();
  const query = useQuery(previewQuery(plan.id, plan.version ?? 1, pages.page, pages.limit));
  useStepBack(pages, query);
  if (query.data === undefined)
    return query.error === null ? (
      <PageSkeleton />
    ) : (
      <Trouble error={query.error} onRetry={() => void query.refetch()} />
    );
  const { rows, total, counts } = query.data;
  if (total === 0) return <Empty title={t('parameters:preview.none')} text={t('parameters:preview.noneText')} />;
  return (
    <PreviousData isOld={query.isPlaceholderData} isBusy={query.isFetching}>
      <ul className={classes.list} data-testid="preview-counts">
        <li>{t('parameters:preview.reached', { count: counts[''] ?? 0 })}</li>
        {Object.entries(counts)
          .filter(([reason]) => reason !== '')
          .map(([reason, count]) => (
            <li key={reason} data-reason={reason}>
              <SkipText reason={reason} count={count} />
            </li>
          ))}
      </ul>
      {rows.map((row) => (
        <GatewayPreview key={row.device_id} row={row} groups={groups} />
      ))}
      <Paging pages={pages} total={total} label={t('parameters:plan.preview')} />
    </PreviousData>
  );
}

function SkipText({ reason, count }: { reason: string; count: number }): ReactElement {
  const { t } = useTranslation();
  const key = codeKey(reason);
  return <>{t('parameters:preview.skipped', { count, reason: key === null ? reason : t(key) })}</>;
}

function GatewayPreview({ row, groups }: { row: PlanGateway; groups: readonly Group[] }): ReactElement {
  const { t } = useTranslation();
  const words = useWords();
  const key = codeKey(row.skip);
  return (
    <section
      className={classes.gateway}
      aria-label={row.device_title}
      data-testid="preview-gateway"
      data-skip={row.skip}
    >
      <div className={classes.head}>
        <strong>{row.device_title}</strong>
        <span className={classes.mono}>{row.gateway_id}</span>
        <span className={classes.hint}>{row.agent_version}</span>
        {row.skip === '' ? null : (
          <ToneText tone={row.skip === 'offline' ? 'off' : 'warn'}>
            {t('parameters:preview.leftOut', { reason: key === null ? row.skip : t(key) })}
          </ToneText>
        )}
      </div>
      {row.changes.map(({ field, before, after }) => (
        <FieldChange key={field} field={field} words={words.change(groups, field)} before={before} after={after} />
      ))}
      {row.changes.length === 0 && (row.skip === '' || row.skip === 'offline') ? (
        <Text size="sm" c="dimmed">
          {t('parameters:preview.unchanged')}
        </Text>
      ) : null}
      {row.faults.length === 0 ? null : (
        <div role="alert" data-testid="preview-faults">
          <ToneText tone="bad">{t('parameters:preview.faults')}</ToneText>
          <ul className={classes.list}>
            {row.faults.map(({ field, rule }) => (
              <li key={`${field} ${rule}`}>
                {words.change(groups, field) ?? <code>{field}</code>}: {ruleText(rule)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
