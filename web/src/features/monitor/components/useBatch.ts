import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { onCommand } from '@/lib/live';
import { batchCommands, COMMAND_POLL_MS } from '../api';
import type { CommandRef, CommandStatus } from '../api';
import { tallyOf } from '../command';
import type { Tally } from '../command';
import { statusOf } from './useCommand';

type Known = Record<string, CommandStatus>;

/** A final state is never replaced by an earlier one that was under way. */
function merged(known: Known | undefined, rows: readonly CommandStatus[]): Known {
  const next = { ...known };
  for (const row of rows) {
    const before = next[row.id];
    if (before === undefined || before.finished_ms === null || before.finished_ms === undefined) next[row.id] = row;
  }
  return next;
}

/** Follows every command of a batch, by pushes and by polling until the last has ended. */
export function useBatch(deviceId: number, { batch_id: batchId, ids = [] }: CommandRef): { commands: Known; tally: Tally } {
  const cache = useQueryClient();
  const key = ['batch', batchId];
  const { data = {} } = useQuery<Known>({
    queryKey: key,
    queryFn: async () => merged(cache.getQueryData<Known>(key), await batchCommands(deviceId, batchId ?? '', ids.length)),
    enabled: ({ state }) => !tallyOf(ids.length, Object.values(state.data ?? {}).map(({ status }) => status)).isOver,
    refetchInterval: COMMAND_POLL_MS,
    staleTime: 0,
  });
  useEffect(
    () =>
      onCommand((push) => {
        const status = statusOf(push);
        if (status.batch_id === batchId) cache.setQueryData<Known>(['batch', batchId], (known) => merged(known, [status]));
      }),
    [cache, batchId],
  );
  const tally = tallyOf(ids.length, Object.values(data).map(({ status }) => status));
  useEffect(() => {
    if (tally.isOver) void cache.invalidateQueries({ queryKey: ['commands'] });
  }, [cache, tally.isOver]);
  return { commands: data, tally };
}
