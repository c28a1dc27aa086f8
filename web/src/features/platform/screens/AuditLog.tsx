import { Select } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { ToneText } from '@/components/Tone';
import { formatDateTime } from '@/lib/time';
import { exportAudit, loadAudit } from '../api';
import type { AuditRow } from '../api';
import { AuditDetail } from '../components/AuditDetail';
import { useOperationName } from '../components/useOperationName';
import { RESULT_TONES, useResultWords } from '../components/useResultWords';
import { AUDIT_KINDS, ID_NAMES, objectOf, OPERATIONS } from '../operations';
import classes from '../platform.module.css';
import { sentenceOf } from '../sentence';

/** What the signed-in user and everybody below him changed. */
export default function AuditLog(): ReactElement {
  const [opened, setOpened] = useState<AuditRow | null>(null);
  const resource = useAudit(setOpened);
  return (
    <>
      <ResourcePage resource={resource} />
      {opened === null ? null : <AuditDetail row={opened} onClose={() => setOpened(null)} />}
    </>
  );
}

function useAudit(onOpen: (row: AuditRow) => void): Resource<AuditRow> {
  const { t } = useTranslation();
  const nameOf = useOperationName();
  const result = useResultWords();
  return useMemo(() => {
    const wordOf = (name: string): string =>
      (ID_NAMES as readonly string[]).includes(name) ? t(`platform:id.${name}`) : name;
    const about = (row: AuditRow): string => objectOf(row, wordOf);
    const operations = OPERATIONS.map((value) => ({ value, label: t(`platform:operation.${value}`) }));
    return {
      name: 'audit',
      title: t('platform:title.audit'),
      queryKey: ['audit'],
      load: loadAudit,
      rowId: (row) => row.id,
      columns: [
        {
          id: 'at',
          title: t('platform:audit.at'),
          cell: (row) => <span className="number">{formatDateTime(row.at_ms)}</span>,
          text: (row) => formatDateTime(row.at_ms),
          card: 'fact',
        },
        {
          id: 'what',
          title: t('platform:audit.what'),
          cell: (row) => <span className={classes.sentence}>{sentenceOf(row, t)}</span>,
          text: (row) => sentenceOf(row, t),
          fixed: true,
          card: 'title',
        },
        { id: 'operation', title: t('platform:audit.operation'), cell: nameOf, text: nameOf, hidden: true },
        { id: 'ids', title: t('platform:audit.ids'), cell: about, text: about, hidden: true },
        {
          id: 'user',
          title: t('platform:audit.user'),
          cell: (row) => row.user_name || '–',
          text: (row) => row.user_name,
          hidden: true,
        },
        {
          id: 'result',
          title: t('platform:audit.result'),
          cell: (row) => <ToneText tone={RESULT_TONES[row.result]}>{result(row)}</ToneText>,
          text: result,
          card: 'mark',
        },
        {
          id: 'address',
          title: t('platform:audit.address'),
          cell: (row) => <code>{row.address}</code>,
          text: (row) => row.address,
        },
        {
          id: 'duration',
          title: t('platform:audit.duration'),
          cell: (row) => <span className="number">{row.duration_ms}</span>,
          text: (row) => String(row.duration_ms),
          align: 'right',
          hidden: true,
        },
      ],
      filters: [
        { kind: 'search', name: 'user', label: t('platform:audit.searchUser') },
        { kind: 'search', name: 'thing', label: t('platform:audit.thing') },
        {
          kind: 'select',
          name: 'kind',
          label: t('platform:audit.kind'),
          options: AUDIT_KINDS.map((value) => ({ value, label: t(`platform:auditKind.${value}`) })),
        },
        {
          kind: 'own',
          name: 'operation',
          render: (value, set) => (
            <Select
              aria-label={t('platform:audit.operation')}
              placeholder={t('platform:audit.operation')}
              data={operations}
              value={value === '' ? null : value}
              onChange={(next) => set(next ?? undefined)}
              searchable
              clearable
              clearButtonProps={{ 'aria-label': t('base:table.clear') }}
              nothingFoundMessage={t('base:table.noMatch')}
              size="sm"
              w={{ base: '100%', sm: 200 }}
              data-testid="filter-operation"
            />
          ),
        },
        {
          kind: 'select',
          name: 'outcome',
          label: t('platform:audit.result'),
          options: [
            { value: 'succeeded', label: t('platform:audit.ok') },
            { value: 'refused', label: t('platform:audit.refused') },
            { value: 'failed', label: t('platform:audit.failed') },
            { value: 'unknown', label: t('platform:audit.unknown') },
          ],
        },
        { kind: 'range', fallback: 'past7Days' },
      ],
      onOpen,
      download: { may: 'auth.Audit', name: 'audit.csv', load: exportAudit },
      empty: { title: t('platform:audit.none'), text: t('platform:audit.noneText') },
    };
  }, [t, nameOf, result, onOpen]);
}
