import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { gathered, onResume } from '@/lib/live';

/** Ask for a query again when something of it is pushed, and after the connection was lost. Never for a page that is hidden. */
export function useFresh<T>(
  listen: (listener: (message: T) => void) => () => void,
  queryKey: readonly unknown[],
): void {
  const cache = useQueryClient();
  useEffect(() => {
    const { ask, stop } = gathered(() => void cache.invalidateQueries({ queryKey }));
    const leave = [listen(ask), onResume(ask), stop];
    return () => {
      for (const each of leave) each();
    };
  }, [cache, listen, queryKey]);
}
