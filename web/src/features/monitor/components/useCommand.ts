import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { forgetAccessPassword } from '@/lib/accessPasswords';
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

/** Has it ended, and is its effect known? */
function isSettled(command: CommandStatus | undefined): boolean {
  return command !== undefined && isFinal(command.status) && command.outcome !== 'unknown';
}

/**
 * Follows one command: pushes as they come, and from 2 s on a look at its state in case they do not, until its effect is
 * known. A refused access password is forgotten, so that it is asked for again.
 */
export function useCommand(sent: Sent | undefined): CommandStatus | undefined {
  const cache = useQueryClient();
  const id = sent?.id;
  const endedAtOnce = sent !== undefined && isFinal(sent.status);
  const [due, setDue] = useState<string | undefined>();
  const isDue = id !== undefined && (endedAtOnce || due === id);
  const { data } = useQuery({
    queryKey: ['command', id],
    queryFn: () => commandStatus(id ?? ''),
    enabled: ({ state }) => isDue && !isSettled(state.data),
    refetchInterval: COMMAND_POLL_MS,
    staleTime: 0,
  });
  useEffect(() => {
    if (id === undefined) return undefined;
    const timer = setTimeout(() => setDue(id), COMMAND_POLL_MS);
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
  const wrong = data?.code === 'access_password' ? data.device_id : null;
  useEffect(() => {
    if (wrong !== null) forgetAccessPassword(wrong);
  }, [wrong]);
  return data;
}
