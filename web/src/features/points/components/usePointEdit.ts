import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '@/api/errors';
import { showError, showSuccess } from '@/components/notices';
import { loadPoints, savePoints } from '../api';
import type { Saved } from '../api';
import { editOf, keyOf, useEdits } from '../model/edits';
import type { Edit } from '../model/edits';
import { changesOf, countOf, isSame, onTop, pointsOf } from '../model/point';
import { refusedCell } from '../model/refused';
import type { Refused, Sent } from '../model/refused';
import type { Point } from '@/blocks/points/point';

/** Who changed the configuration meanwhile. */
export interface Moved {
  author: string;
  origin: string;
}

export interface PointEdit {
  edit: Edit | undefined;
  error: unknown;
  retry: () => void;
  /** Rows that differ from what the cloud has. */
  unsaved: number;
  change: (rows: readonly Point[]) => void;
  /** onRefused is told the cell that the cloud did not accept. */
  save: (onRefused?: (cell: Refused) => void) => void;
  isSaving: boolean;
  /** The cell that the cloud refused, until its row changes. */
  refused: Refused | null;
  /** Somebody else has saved since this edit began. */
  moved: Moved | null;
  /** Take what the cloud has now, with these edits on top or without them. */
  takeNewest: (keep: boolean) => void;
  discard: () => void;
}

const CONFLICT = 409;

/** Points of a slave as they are edited: loaded once, kept until they are saved or given up. */
export function usePointEdit(deviceId: number, slave: string): PointEdit {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const key = keyOf(deviceId, slave);
  const edit = useEdits(({ bySlave }) => bySlave[key]);
  const begin = useEdits((edits) => edits.begin);
  const change = useEdits((edits) => edits.change);
  const rebase = useEdits((edits) => edits.rebase);
  const settle = useEdits((edits) => edits.settle);
  const changes = useMemo(
    () => (edit === undefined ? null : changesOf(slave, edit.original, edit.rows)),
    [edit, slave],
  );
  const unsaved = changes === null ? 0 : countOf(changes);
  const loaded = useQuery({
    queryKey: ['points', deviceId, 'rows', slave],
    queryFn: ({ signal }) => loadPoints(deviceId, slave, signal),
    refetchOnWindowFocus: false,
    structuralSharing: false,
  });
  const { data } = loaded;
  useEffect(() => {
    if (data === undefined) return;
    const now = editOf(deviceId, slave);
    if (now?.base === data.base) return;
    const original = pointsOf(data.rows);
    if (now === undefined || countOf(changesOf(slave, now.original, now.rows)) === 0) begin(key, data.base, original);
    else if (isSame(now.original, original)) rebase(key, data.base);
  }, [data, key, deviceId, slave, begin, rebase]);
  const renew = async (keep: boolean): Promise<void> => {
    const newest = await loadPoints(deviceId, slave);
    const original = pointsOf(newest.rows);
    begin(key, newest.base, original, keep && changes !== null ? onTop(changes, original) : original);
    cache.setQueryData(['points', deviceId, 'rows', slave], newest);
    saving.reset();
  };
  const saving = useMutation<Saved, Error, Sent>({
    mutationFn: (request) => savePoints(deviceId, { base: request.edit.base, ...request.changes }),
    meta: { errorInPlace: true },
    onSuccess: async () => {
      const newest = await loadPoints(deviceId, slave);
      settle(key, newest.base, pointsOf(newest.rows));
      cache.setQueryData(['points', deviceId, 'rows', slave], newest);
      showSuccess(t('points:saved'));
      void cache.invalidateQueries({ queryKey: ['points', deviceId] });
      void cache.invalidateQueries({ queryKey: ['configuration', deviceId] });
    },
  });
  const isMoved =
    saving.error instanceof ApiError &&
    saving.error.facts.status === CONFLICT &&
    saving.error.facts.reason === 'configuration.moved';
  const args = saving.error instanceof ApiError ? saving.error.facts.args : {};
  const save: PointEdit['save'] = (onRefused) => {
    if (edit === undefined || changes === null) return;
    const onError = (error: Error, request: Sent): void => {
      const cell = refusedCell(error, request);
      if (cell !== null) onRefused?.(cell);
    };
    saving.mutate({ edit, changes }, { onError });
  };
  const { error: saveError, variables: sent } = saving;
  const named = useMemo(() => refusedCell(saveError, sent), [saveError, sent]);
  const refused = named !== null && edit?.rows.includes(named.point) === true ? named : null;
  return {
    edit,
    error: loaded.error ?? (isMoved || named !== null ? null : saveError),
    retry: () => (loaded.error === null ? save() : void loaded.refetch()),
    unsaved,
    change: (rows) => change(key, rows),
    save,
    isSaving: saving.isPending,
    refused,
    moved: isMoved ? { author: String(args.author ?? ''), origin: String(args.origin ?? '') } : null,
    takeNewest: (keep) => void renew(keep).catch(showError),
    discard: () => edit !== undefined && begin(key, edit.base, edit.original),
  };
}
