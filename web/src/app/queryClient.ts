import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import type { InvalidateOptions, InvalidateQueryFilters, QueryKey } from '@tanstack/react-query';
import { ApiError, presentation } from '@/api/errors';
import { showError } from '@/components/notices';
import { useLink } from '@/lib/live';

const FRESH_MS = 5_000;

/** A reply is final; only a lost connection is tried once more. */
function retry(failures: number, error: unknown): boolean {
  return failures < 1 && error instanceof ApiError && error.facts.cause === 'network';
}

/** While the live connection is down the banner says so; that polls fail too is the same news. */
function isOfLostLink(error: unknown): boolean {
  if (useLink.getState().lostAtMs === null || !(error instanceof ApiError)) return false;
  const { cause, code, status } = error.facts;
  return cause !== 'reply' || (code === null && status !== null && status >= 500);
}

/**
 * The library's invalidation joins a first reading that is under way, whose answer may be older than the change: the
 * reading is done once more. It is not cancelled, or changes that keep coming would let a slow list never appear.
 */
export class RereadingClient extends QueryClient {
  override async invalidateQueries<K extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<K>,
    options?: InvalidateOptions,
  ): Promise<void> {
    const first = new Set(
      this.getQueryCache()
        .findAll({ ...filters, type: 'active', fetchStatus: 'fetching' })
        .filter(({ state }) => state.data === undefined)
        .map(({ queryHash }) => queryHash),
    );
    await super.invalidateQueries(filters, options);
    if (first.size === 0 || filters?.refetchType === 'none') return;
    await this.refetchQueries(
      { type: 'active', predicate: ({ queryHash }) => first.has(queryHash) },
      { cancelRefetch: false },
    );
  }
}

export const queryClient = new RereadingClient({
  defaultOptions: {
    queries: { staleTime: FRESH_MS, retry, networkMode: 'always', refetchOnReconnect: true },
    mutations: { networkMode: 'always' },
  },
  queryCache: new QueryCache({
    onError: (error, query) => {
      // A page without data shows the error in its place; a toast besides would say it twice.
      if (isOfLostLink(error)) return;
      if (query.state.data !== undefined || presentation(error).kind === 'expired') showError(error);
    },
  }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, mutation) => {
      if (mutation.meta?.errorInPlace !== true || presentation(error).kind === 'expired') showError(error);
    },
  }),
});

/** What failed while the cloud was away is asked again once the live connection is back. Returns the stop function. */
export function askAgainWhenBack(): () => void {
  return useLink.subscribe((now, before) => {
    if (now.phase !== 'live' || before.phase === 'live') return;
    void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
  });
}
