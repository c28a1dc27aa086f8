import { ActionIcon, Tooltip } from '@mantine/core';
import { IconHistory, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { CommandLogButton } from '@/blocks/commands/CommandLogButton';
import type { Gateway } from '@/blocks/commands/CommandLogButton';
import { PermissionGate } from '@/components/permission';
import { useConfirm } from '@/components/useConfirm';
import { runTask, TASKS } from '../api';
import type { TaskRow } from '../api';

interface Props {
  row: TaskRow;
  onLog: () => void;
}

/** Run a task now, which opens its log; the log alone; and the commands of its runs. */
export function TaskButtons({ row, onLog }: Props): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [ask, dialog] = useConfirm();
  const { mutate, isPending } = useMutation({
    mutationFn: () => runTask(row.id),
    onSuccess: () => {
      void cache.invalidateQueries({ queryKey: TASKS });
      onLog();
    },
  });
  const run = async (): Promise<void> => {
    const isSure = await ask({
      title: t('tasks:run'),
      text: t('tasks:runText', { title: row.title }),
      confirm: t('tasks:run'),
    });
    if (isSure) mutate();
  };
  return (
    <>
      <PermissionGate asks="Device/cmd">
        <Tooltip label={t('tasks:run')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            loading={isPending}
            onClick={() => void run()}
            aria-label={`${t('tasks:run')}: ${row.title}`}
            data-testid="task-run"
          >
            <IconPlayerPlay size={16} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </PermissionGate>
      <Tooltip label={t('tasks:log.open')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          onClick={onLog}
          aria-label={`${t('tasks:log.open')}: ${row.title}`}
          data-testid="task-log"
        >
          <IconHistory size={16} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
      <CommandLogButton kind="task" id={row.id} title={row.title} gateways={gatewaysOf(row)} />
      {dialog}
    </>
  );
}

/** To which its actions send commands, of those that there are. */
function gatewaysOf({ actions, points, presets, devices }: TaskRow): Gateway[] {
  return actions.flatMap((action) => {
    switch (action.kind) {
      case 'preset':
        return presets.filter(({ id }) => id === action.preset_id);
      case 'command':
        return devices.filter(({ device_id }) => device_id === action.device_id);
      default:
        return points.filter(({ dsid }) => dsid === action.dsid);
    }
  });
}
