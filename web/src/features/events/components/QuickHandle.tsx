import { IconBellX, IconCheck } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { showUndo } from '@/components/undo';
import { handleAlarm } from '../api';
import type { AlarmRow } from '../api';
import { FALSE_ALARM, HANDLED, steps, UNHANDLED } from '../handling';
import type { Handling } from '../handling';
import { QuickButton } from './QuickButton';

const ICONS = { [HANDLED]: IconCheck, [FALSE_ALARM]: IconBellX };

/** Handled or false alarm at one click, which a toast takes back. */
export function QuickHandle({ row }: { row: AlarmRow }): ReactElement | null {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const refresh = (): Promise<void> => cache.invalidateQueries({ queryKey: ['event'] });
  const { mutate, isPending } = useMutation({
    mutationFn: (status: Handling) => handleAlarm(row.id, status, ''),
    onSuccess: (_row, status) => {
      const undo = async (): Promise<void> => {
        await handleAlarm(row.id, UNHANDLED, t('events:handle.undone'));
        await refresh();
      };
      showUndo(t(`events:handle.done.${status}`), undo, t('base:undo.done'));
    },
    onSettled: () => void refresh(),
  });
  const choices = steps(row).filter((status) => status !== UNHANDLED);
  if (choices.length === 0) return null;
  return (
    <>
      {choices.map((status) => (
        <QuickButton
          key={status}
          label={t(`events:handle.to.${status}`)}
          word={t(`base:code.alarmLog.${status}`)}
          icon={ICONS[status]}
          disabled={isPending}
          onClick={() => mutate(status)}
          testId={`handle-${status}`}
        />
      ))}
    </>
  );
}
