import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { Tone } from '@/lib/quality';
import type { AuditRow } from '../api';
import { refusalOf } from '../sentence';

export const RESULT_TONES: Record<AuditRow['result'], Tone> = { succeeded: 'ok', failed: 'bad', unknown: 'warn' };

/** What a request came to: of a command its own outcome, not that it was taken. */
export function useResultWords(): (row: AuditRow) => string {
  const { t } = useTranslation();
  return useCallback(
    ({ result, status, code }) => {
      const refused = refusalOf({ status, code }, t);
      if (refused !== null) return refused;
      if (result === 'succeeded') return t('platform:audit.ok');
      if (result === 'unknown') return t('platform:audit.unknown');
      return code === 0 ? t('platform:audit.failed') : t('platform:audit.failedWith', { status, code });
    },
    [t],
  );
}
