import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { formatClock } from '@/lib/time';
import type { CommandStatus } from '../api';
import { isState, outcomeOf } from '../command';

/** How a command stands, in words; value: the words for what was read back. */
export function useStateWords(): (
  command: Pick<CommandStatus, 'status' | 'outcome' | 'seen_ms'>,
  value: string,
) => string {
  const { t } = useTranslation();
  return useCallback(
    (command, value) => {
      const outcome = outcomeOf(command);
      if (outcome === 'unknown') return t('base:outcome.unknown');
      if (outcome === 'settled_written' || outcome === 'settled_other') {
        return t(`base:outcome.${outcome}`, {
          value,
          time: (command.seen_ms ?? null) === null ? '–' : formatClock(command.seen_ms ?? 0),
        });
      }
      return isState(command.status) ? t(`monitor:state.${command.status}`) : command.status;
    },
    [t],
  );
}
