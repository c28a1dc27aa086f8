import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { forgetAccessPassword } from '@/lib/accessPasswords';
import { onCommand } from '@/lib/live';
import { batchCommands, COMMAND_POLL_MS } from '../api';
import type { CommandRef, CommandStatus } from '../api';
import { tallyOf } from '../command';
import type { Tally } from '../command';
import { statusOf } from './useCommand';

type Known = Record<string, CommandStatus>;

/** What has ended is not replaced by what was under way; an unknown outcome is by its settlement. */
function merged(known: Known | undefined, rows: readonly CommandStatus[]): Known {
  const next = { ...known };
  for (const row of rows) {
    const before = next[row.id];
    const ended = (before?.finished_ms ?? null) !== null;
    if (!ended || (before?.outcome === 'unknown' && (row.finished_ms ?? null) !== null)) next[row.id] = row;
  }
  return next;
}

/** Is something under way, or not yet known? */
function isOpen({ isOver, unknown }: Tally): boolean {
  return !isOver || unknown > 0;
}

/** Follows every command of a batch, by pushes and by polling until the last has ended. */
export function useBatch(
  deviceId: number,
  { batch_id: batchId, ids = [] }: CommandRef,
): { commands: Known; tally: Tally } {
  const cache = useQueryClient();
  const key = ['batch', batchId];
  const { data = {} } = useQuery<Known>({
    queryKey: key,
    queryFn: async () =>
      merged(cache.getQueryData<Known>(key), await batchCommands(deviceId, batchId ?? '', ids.length)),
    enabled: ({ state }) => isOpen(tallyOf(ids.length, Object.values(state.data ?? {}))),
    refetchInterval: COMMAND_POLL_MS,
    staleTime: 0,
  });
  useEffect(
    () =>
      onCommand((push) => {
        const status = statusOf(push);
        if (status.batch_id === batchId)
          cache.setQueryData<Known>(['batch', batchId], (known) => merged(known, [status]));
      }),
    [cache, batchId],
  );
  const tally = tallyOf(ids.length, Object.values(data));
  useEffect(() => {
    if (tally.isOver) void cache.invalidateQueries({ queryKey: ['commands'] });
  }, [cache, tally.isOver]);
  const wrong = Object.values(data).find(({ code }) => code === 'access_password')?.device_id ?? null;
  useEffect(() => {
    if (wrong !== null) forgetAccessPassword(wrong);
  }, [wrong]);
  return { commands: data, tally };
}
