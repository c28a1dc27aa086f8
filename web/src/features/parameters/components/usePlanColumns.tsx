import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { formatDateTime } from '@/lib/time';
import type { PlanRow } from '../api';
import type { Group } from '../model/schema';
import classes from '../parameters.module.css';
import { useWords } from '../useWords';

export function usePlanColumns(groups: readonly Group[]): readonly Column<PlanRow>[] {
  const { t } = useTranslation();
  const words = useWords();
  return useMemo(() => {
    const title = (name: string): string => t(`parameters:plan.column.${name}`);
    const what = ({ changes }: PlanRow): string =>
      [...new Set(changes.map(({ group }) => group))]
        .map((name) => words.label(groups.find((group) => group.name === name)?.title ?? { zh: name, en: name }))
        .join(t('parameters:comma'));
    const targets = ({ project_ids: projects = [], device_ids: devices = [] }: PlanRow): string =>
      [
        projects.length === 0 ? '' : t('parameters:plan.ofProjects', { count: projects.length }),
        devices.length === 0 ? '' : t('parameters:plan.ofDevices', { count: devices.length }),
      ]
        .filter(Boolean)
        .join(t('parameters:comma'));
    const agents = ({ agent_min: min, agent_max: max }: PlanRow): string =>
      min || max ? `${min || '…'} – ${max || '…'}` : t('parameters:plan.anyAgent');
    return [
      {
        id: 'title',
        title: title('title'),
        fixed: true,
        card: 'title',
        width: 220,
        cell: (row) => (
          <>
            {row.title}
            {row.remark ? <span className={classes.sub}>{row.remark}</span> : null}
          </>
        ),
        text: (row) => row.title,
      },
      {
        id: 'version',
        title: title('version'),
        align: 'right',
        card: 'fact',
        cell: (row) => <span className="number">{row.version}</span>,
        text: (row) => String(row.version),
      },
      {
        id: 'enabled',
        title: title('enabled'),
        card: 'mark',
        cell: (row) => (
          <ToneText tone={row.enabled ? 'ok' : 'off'}>{t(`parameters:plan.isEnabled.${row.enabled ?? true}`)}</ToneText>
        ),
        text: (row) => t(`parameters:plan.isEnabled.${row.enabled ?? true}`),
      },
      { id: 'changes', title: title('changes'), card: 'fact', cell: what, text: what },
      { id: 'targets', title: title('targets'), card: 'fact', cell: targets, text: targets },
      { id: 'agents', title: title('agents'), cell: agents, text: agents },
      {
        id: 'changed',
        title: title('changed'),
        cell: (row) => (
          <>
            <span className="number">{formatDateTime(row.changed_ms)}</span>
            <span className={classes.sub}>{row.author}</span>
          </>
        ),
        text: (row) => `${formatDateTime(row.changed_ms)} ${row.author}`,
      },
      {
        id: 'owner',
        title: title('owner'),
        hidden: true,
        cell: (row) => row.owner_name || t('parameters:plan.platform'),
        text: (row) => row.owner_name,
      },
    ];
  }, [t, words, groups]);
}
