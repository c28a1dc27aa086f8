import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { codeKey } from '@/blocks/deployment/reason';
import { useTimeWords } from '@/components/useTimeWords';
import type { Filter } from '@/components/resource/filters';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import page from '@/components/page.module.css';
import { ScreenLink } from '@/components/ScreenLink';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { formatDateTime } from '@/lib/time';
import { loadTasks, TASKS } from '../api';
import type { DeploymentTask } from '../api';
import { Hash } from '../components/Hash';
import { stateKey, toneOf } from '../deployment';

/** What was, or is to be, brought to gateways: every deployment, those that wait for their gateway too. */
export default function DeviceTasks(): ReactElement {
  const { t } = useTranslation();
  const columns = useTaskColumns();
  const filters = useMemo<readonly Filter[]>(
    () => [
      { kind: 'search', name: 'search', label: t('configuration:tasks.search') },
      {
        kind: 'segments',
        name: 'open',
        label: t('configuration:column.result'),
        options: [
          { value: 'true', label: t('configuration:tasks.open') },
          { value: 'false', label: t('configuration:tasks.ended') },
        ],
      },
    ],
    [t],
  );
  const resource = useMemo<Resource<DeploymentTask>>(
    () => ({
      name: 'deviceTasks',
      title: t('configuration:tasks.title'),
      queryKey: TASKS,
      load: loadTasks,
      rowId: (row) => row.id,
      columns,
      filters,
      empty: { title: t('configuration:noDeployment'), text: t('configuration:tasks.noneText') },
    }),
    [t, columns, filters],
  );
  return <ResourcePage resource={resource} />;
}

function useTaskColumns(): readonly Column<DeploymentTask>[] {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  return useMemo(() => {
    const title = (row: DeploymentTask): string => row.device_title || row.gateway_id;
    const time = (row: DeploymentTask): string => formatDateTime(row.created_ms);
    const lasted = (row: DeploymentTask): string =>
      row.finished_ms === null ? '-' : duration(row.finished_ms - row.created_ms);
    const state = (row: DeploymentTask): string => {
      const key = stateKey(row.state);
      return key === null ? row.state : t(key);
    };
    const why = (row: DeploymentTask): string => {
      const key = codeKey(row.code);
      return key === null ? row.code : t(key);
    };
    return [
      {
        id: 'device',
        title: t('configuration:tasks.gateway'),
        fixed: true,
        card: 'title',
        cell: (row) => <Gateway row={row} words={title(row)} />,
        text: title,
      },
      { id: 'time', title: t('configuration:column.time'), card: 'fact', cell: time, text: time },
      {
        id: 'version',
        title: t('configuration:column.version'),
        cell: (row) => <Hash hash={row.hash} />,
        text: (row) => row.hash,
      },
      {
        id: 'state',
        title: t('configuration:column.result'),
        card: 'mark',
        text: state,
        cell: (row) => <ToneText tone={toneOf(row.state)}>{state(row)}</ToneText>,
      },
      { id: 'why', title: t('configuration:tasks.why'), cell: why, text: why },
      { id: 'lasted', title: t('configuration:column.duration'), align: 'right', cell: lasted, text: lasted },
      {
        id: 'user',
        title: t('configuration:column.user'),
        card: 'fact',
        cell: (row) => row.user,
        text: (row) => row.user,
      },
    ];
  }, [t, duration]);
}

function Gateway({ row, words }: { row: DeploymentTask; words: string }): ReactElement {
  return (
    <ScreenLink
      path="/deviceDetail/index"
      search={{ device_id: row.device_id, tab: 'configuration', cfg: 'deployments' }}
      className={page.title}
    >
      {words}
    </ScreenLink>
  );
}
