import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { showSuccess } from '../notices';
import { showUndo } from '../undo';
import { useConfirmDelete } from '../useConfirm';
import type { ResourceRemove } from './resource';

/** Delete a row after a question: [remove, dialog]. A toast takes it back where the API can. */
export function useRemove<Row>(
  shape: ResourceRemove<Row> | undefined,
  queryKey: readonly unknown[],
): [(row: Row) => Promise<void>, ReactElement | null] {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [ask, dialog] = useConfirmDelete();
  const { mutate } = useMutation({
    mutationFn: async (row: Row) => shape?.call(row),
    onSuccess: (answer, row) => {
      const undo = shape?.undo;
      const message = t('base:row.removed', { what: shape?.what(row) ?? '' });
      if (undo === undefined) return showSuccess(message);
      const takeBack = async (): Promise<void> => {
        await undo(row, answer);
        await cache.invalidateQueries({ queryKey });
      };
      return showUndo(message, takeBack, t('base:undo.done'));
    },
    onSettled: () => void cache.invalidateQueries({ queryKey }),
  });
  const remove = useCallback(
    async (row: Row): Promise<void> => {
      if (shape === undefined) return;
      if (await ask(shape.what(row), { impact: shape.impact?.(row), typed: shape.typed?.(row) })) mutate(row);
    },
    [shape, ask, mutate],
  );
  return [remove, dialog];
}
