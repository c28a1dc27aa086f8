import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import * as sdk from '@/api/generated/sdk.gen';
import { call } from '@/api/http';
import { added, read, write } from './remembered';
import type { RememberedPoint } from './remembered';

/** As many as the cloud keeps. */
export const MAX_FAVOURITES = 40;
const MAX_LABEL = 100;
const NONE: readonly RememberedPoint[] = [];

function favouritesQuery(user: number) {
  return queryOptions({
    queryKey: ['user', 'option', 'history_points', user],
    queryFn: async ({ signal }): Promise<readonly RememberedPoint[]> => {
      const option = await call(sdk.getUserOption({ query: { name: 'history_points' }, signal }));
      if (option.name !== 'history_points') return NONE;
      return (option.value ?? []).map(({ device_id, ...point }) => ({ ...point, deviceId: device_id }));
    },
    staleTime: Infinity,
    meta: { errorInPlace: true },
  });
}

/** With a point or, when it is there, without it. */
export function toggled(points: readonly RememberedPoint[], point: RememberedPoint): readonly RememberedPoint[] {
  const others = points.filter(({ dsid }) => dsid !== point.dsid);
  return others.length < points.length ? others : added(points, [point], MAX_FAVOURITES);
}

/** What a browser kept before the cloud did comes behind what the cloud has. */
export function joined(
  stored: readonly RememberedPoint[],
  ofBrowser: readonly RememberedPoint[],
): readonly RememberedPoint[] {
  return added(ofBrowser, stored, MAX_FAVOURITES);
}

interface Favourites {
  points: readonly RememberedPoint[];
  /** Undefined until the cloud has told which there are. */
  toggle: ((point: RememberedPoint) => void) | undefined;
}

/** The user's marked points, kept in the cloud. A mark shows at once; when the cloud refuses it, it goes again. */
export function useFavourites(user: number): Favourites {
  const client = useQueryClient();
  const { queryKey, ...rest } = favouritesQuery(user);
  const { data } = useQuery({ queryKey, ...rest });
  const { mutate } = useMutation({
    scope: { id: 'history_points' },
    mutationFn: async () => {
      const points = client.getQueryData(queryKey) ?? NONE;
      const value = points.map(({ dsid, deviceId, label }) => ({
        dsid,
        device_id: deviceId,
        label: label.slice(0, MAX_LABEL),
      }));
      await call(sdk.putUserOption({ body: { name: 'history_points', value } }));
    },
    onSuccess: () => write('favourite', user, NONE),
    onError: () => client.invalidateQueries({ queryKey }),
  });
  const change = (next: readonly RememberedPoint[]): void => {
    client.setQueryData(queryKey, next);
    mutate();
  };
  useEffect(() => {
    const ofBrowser = read('favourite', user);
    if (data !== undefined && ofBrowser.length > 0) change(joined(data, ofBrowser));
    // Once, when the cloud has told its own.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [data === undefined, user]);
  return { points: data ?? NONE, toggle: data === undefined ? undefined : (point) => change(toggled(data, point)) };
}
