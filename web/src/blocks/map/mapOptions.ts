import { queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type { MapBase, MapBorders } from '@/api/generated/types.gen';
import { call } from '@/api/http';

/** Somebody sets them once: a page need not ask again while it is open. */
const STALE_MS = 600_000;

/** The platform's map as every signed-in user sees it. */
export const mapBaseQuery = queryOptions({
  queryKey: ['option', 'map_base'],
  queryFn: async ({ signal }): Promise<MapBase> =>
    (await call(sdk.getOption({ query: { name: 'map_base' }, signal }))).value as MapBase,
  staleTime: STALE_MS,
  meta: { errorInPlace: true },
});

export const bordersQuery = queryOptions({
  queryKey: ['option', 'map_borders'],
  queryFn: async ({ signal }): Promise<MapBorders> =>
    (await call(sdk.getOption({ query: { name: 'map_borders' }, signal }))).value as MapBorders,
  staleTime: STALE_MS,
  meta: { errorInPlace: true },
});
