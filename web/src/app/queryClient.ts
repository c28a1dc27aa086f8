import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, presentation } from '@/api/errors';
import { showError } from '@/components/notices';

const FRESH_MS = 5_000;

/** A reply is final; only a lost connection is tried once more. */
function retry(failures: number, error: unknown): boolean {
  return failures < 1 && error instanceof ApiError && error.facts.cause === 'network';
}

export const queryClient = new QueryClient({
  defaultOptions: { queries: { staleTime: FRESH_MS, retry, networkMode: 'always' }, mutations: { networkMode: 'always' } },
  queryCache: new QueryCache({
    onError: (error, query) => {
      // A page without data shows the error in its place; a toast besides would say it twice.
      if (query.state.data !== undefined || presentation(error).kind === 'expired') showError(error);
    },
  }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, mutation) => {
      if (mutation.meta?.shownInPlace !== true || presentation(error).kind === 'expired') showError(error);
    },
  }),
});
