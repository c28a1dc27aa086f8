import { Code, Drawer, Stack } from '@mantine/core';
import type { TFunction } from 'i18next';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyText } from '@/components/CopyText';
import page from '@/components/page.module.css';
import { ScreenLink } from '@/components/ScreenLink';
import { formatDateTime } from '@/lib/time';
import type { AuditRow } from '../api';
import { commandOf, isOutcome } from '../operations';
import { changesOf, changeText, placeOf, sentenceOf, thingOf } from '../sentence';
import { useOperationName } from './useOperationName';
import { useResultWords } from './useResultWords';

/** Of a command: target, value wanted, value read back, and what became of it. */
function factsOf(row: AuditRow, t: TFunction): [string, string][] {
  const command = commandOf(row);
  if (command === null) return [];
  const { target, wanted, readBack, outcome, seenMs } = command;
  const time = seenMs === null ? '–' : formatDateTime(seenMs);
  const facts: [string, string][] = [
    [t('platform:audit.ids'), target],
    [t('platform:audit.wanted'), wanted],
    [t('platform:audit.readBack'), readBack],
    [t('platform:audit.outcome'), isOutcome(outcome) ? t(`base:outcome.${outcome}`, { value: readBack, time }) : ''],
  ];
  return facts.filter(([, value]) => value !== '');
}

/** One entry of the log, whole: what was sent, secrets as the cloud keeps them (***). */
export function AuditDetail({ row, onClose }: { row: AuditRow; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const name = useOperationName()(row);
  const result = useResultWords();
  const place = placeOf(row);
  const changed = changesOf(row, t);
  const facts: [string, ReactElement | string][] = [
    [t('platform:audit.at'), formatDateTime(row.at_ms, true)],
    [t('platform:audit.user'), row.user_name || '–'],
    [t('platform:audit.address'), row.address],
    [t('platform:audit.result'), `${result(row)} · HTTP ${row.status} · ${row.code}`],
    ...factsOf(row, t),
    [t('platform:audit.duration'), String(row.duration_ms)],
    [t('platform:audit.request'), <CopyText key="request" text={row.request_id} />],
  ];
  const parts = [
    { title: t('platform:audit.query'), value: row.query },
    { title: t('platform:audit.changes'), value: row.changes },
  ].filter(({ value }) => Object.keys(value).length > 0);
  return (
    <Drawer opened onClose={onClose} title={name} size={520} data-testid="audit-detail">
      <Stack gap="md">
        <p style={{ margin: 0 }} data-testid="audit-sentence">
          {sentenceOf(row, t)}
        </p>
        {place === null ? null : (
          <ScreenLink path={place.path} search={place.search} data-testid="audit-thing">
            {t('platform:audit.to', { thing: thingOf(row, t) })}
          </ScreenLink>
        )}
        {changed.length === 0 ? null : (
          <section aria-label={t('platform:audit.allChanges')}>
            <h3 style={{ fontSize: 13 }}>{t('platform:audit.allChanges')}</h3>
            <ul style={{ margin: 0, paddingLeft: 18, overflowWrap: 'anywhere' }} data-testid="audit-changes">
              {changed.map((change) => (
                <li key={change.field}>{changeText(change, t)}</li>
              ))}
            </ul>
          </section>
        )}
        <dl className={page.facts} style={{ margin: 0 }}>
          {facts.map(([title, value]) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <h3 style={{ fontSize: 13, marginBottom: 0 }}>{t('platform:audit.details')}</h3>
        <code style={{ overflowWrap: 'anywhere' }}>
          {row.method} {row.path}
        </code>
        {parts.map(({ title, value }) => (
          <section key={title} aria-label={title}>
            <h3 style={{ fontSize: 13 }}>{title}</h3>
            <Code block tabIndex={0} data-testid="audit-json">
              {JSON.stringify(value, null, 2)}
            </Code>
          </section>
        ))}
      </Stack>
    </Drawer>
  );
}
