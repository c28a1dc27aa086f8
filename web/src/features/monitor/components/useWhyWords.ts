import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { codeKey } from '@/lib/commandCodes';
import type { CommandStatus } from '../api';
import { detailOf, refusalOf } from '../command';

/** Why a command failed: its code in words, then the gateway's own, which the portal says in the user's language where it can. */
export function useWhyWords(): (command: Pick<CommandStatus, 'code' | 'detail'>) => string[] {
  const { t } = useTranslation();
  return useCallback(
    (command) => {
      const [key, refusal] = [codeKey(command.code), refusalOf(command)];
      const detail = refusal === null ? detailOf(command) : t(refusal.key, refusal.args);
      return [key === null ? command.code : t(key), detail].filter(Boolean);
    },
    [t],
  );
}
