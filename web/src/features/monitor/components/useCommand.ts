import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { onCommand } from '@/lib/live';
import { COMMAND_POLL_MS, commandStatus } from '../api';
import type { CommandRef, CommandStatus } from '../api';
import { isFinal } from '../command';

/** A command that was taken; one that has ended at once is looked at at once. */
export type Sent = Pick<CommandRef, 'id' | 'status'>;

/** What a push says of a command; 'did' and 'type' are of the envelope. */
export function statusOf(push: Record<string, unknown>): CommandStatus {
  const { did: _did, type: _type, ...status } = push;
  return status as unknown as CommandStatus;
}

/** Follows one command: pushes as they come, and from 2 s on a look at its state in case they do not. */
export function useCommand({ id, status }: Sent): CommandStatus | undefined {
  const cache = useQueryClient();
  const [isDue, setDue] = useState(isFinal(status));
  const { data } = useQuery({
    queryKey: ['command', id],
    queryFn: () => commandStatus(id),
    enabled: ({ state }) => isDue && !(state.data !== undefined && isFinal(state.data.status)),
    refetchInterval: COMMAND_POLL_MS,
    staleTime: 0,
  });
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), COMMAND_POLL_MS);
    const stop = onCommand((push) => {
      if (push.id !== id) return;
      cache.setQueryData(['command', id], statusOf(push));
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [cache, id]);
  const isOver = data !== undefined && isFinal(data.status);
  useEffect(() => {
    if (isOver) void cache.invalidateQueries({ queryKey: ['commands'] });
  }, [cache, isOver]);
  return data;
}
