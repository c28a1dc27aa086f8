import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiError } from '@/api/errors';
import { requestId } from '@/lib/requestId';
import { PasswordGiven } from '../command';

interface Sending<V, R> {
  data: R | undefined;
  /** What was sent last. */
  variables: V | undefined;
  error: Error | null;
  isPending: boolean;
  /** Was this the last thing that was sent, and has it an answer? Then it goes out again only by `again`. */
  isSame: (wanted: V) => boolean;
  /** Send; nothing while something is under way, and not the same a second time. */
  press: (wanted: V) => void;
  /** Send it once more on purpose. */
  again: (wanted: V) => void;
}

/**
 * What is sent to a device goes out once for each press. A press whose answer never came (time-out, broken line) keeps its
 * number, so that the next press of the same does not send what has arrived all the same.
 * isUnderWay: what was sent has no result yet.
 */
export function useSendOnce<V, R>(
  send: (wanted: V, id: string) => Promise<R>,
  isUnderWay: (sent: R | undefined) => boolean,
): Sending<V, R> {
  const busy = useRef(false);
  const open = useRef<{ key: string; id: string } | null>(null);
  const { data, variables, error, isPending, isSuccess, mutate } = useMutation<R, Error, V>({
    mutationFn: async (wanted) => {
      const key = JSON.stringify(wanted);
      for (;;) {
        if (open.current?.key !== key) open.current = { key, id: requestId() };
        try {
          return await send(wanted, open.current.id);
        } catch (failure) {
          if (!(failure instanceof PasswordGiven)) throw failure;
          open.current = null;
        }
      }
    },
    meta: { errorInPlace: true },
    onSuccess: () => {
      open.current = null;
    },
    onError: (failure) => {
      if (failure instanceof ApiError && failure.facts.cause === 'reply') open.current = null;
    },
    onSettled: () => {
      busy.current = false;
    },
  });
  const underWay = isPending || isUnderWay(data);
  const isSame = (wanted: V): boolean => isSuccess && JSON.stringify(wanted) === JSON.stringify(variables);
  const begin = (wanted: V): void => {
    if (busy.current || underWay) return;
    busy.current = true;
    mutate(wanted);
  };
  return {
    data,
    variables,
    error,
    isPending: underWay,
    isSame,
    press: (wanted) => {
      if (!isSame(wanted)) begin(wanted);
    },
    again: begin,
  };
}
