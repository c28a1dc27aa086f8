import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { AuditRow } from '../api';
import { isKnown } from '../operations';

/** What a request did, in the user's language; its own name when there are no words for it. */
export function useOperationName(): (row: AuditRow) => string {
  const { t } = useTranslation();
  return useCallback(
    ({ operation, method, path }) =>
      isKnown(operation) ? t(`platform:operation.${operation}`) : operation || `${method} ${path}`,
    [t],
  );
}
