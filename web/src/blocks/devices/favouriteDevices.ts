import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import { call } from '@/api/http';
import { useSession } from '@/lib/session';

/** As many as the cloud keeps. */
export const MAX_FAVOURITE_DEVICES = 20;
const NONE: readonly number[] = [];
/** Queries that show what is marked. */
const OVERVIEW_KEY = ['overview'] as const;

function favouriteDevicesQuery(user: number) {
  return queryOptions({
    queryKey: ['user', 'option', 'favourite_devices', user],
    queryFn: async ({ signal }): Promise<readonly number[]> => {
      const option = await call(sdk.getUserOption({ query: { name: 'favourite_devices' }, signal }));
      return option.name === 'favourite_devices' ? (option.value ?? NONE) : NONE;
    },
    staleTime: Infinity,
    meta: { errorInPlace: true },
  });
}

/** With a gateway in front or, when it is there, without it. */
export function toggledDevice(ids: readonly number[], id: number): readonly number[] {
  return ids.includes(id) ? ids.filter((each) => each !== id) : [id, ...ids].slice(0, MAX_FAVOURITE_DEVICES);
}

/** The user's marked gateways, kept in the cloud. toggle: undefined until it has told which there are. */
export function useFavouriteDevices(): { ids: readonly number[]; toggle: ((id: number) => void) | undefined } {
  const client = useQueryClient();
  const user = useSession((state) => Number(state.user?.id ?? 0));
  const { queryKey, ...rest } = favouriteDevicesQuery(user);
  const { data } = useQuery({ queryKey, ...rest });
  const { mutate } = useMutation({
    scope: { id: 'favourite_devices' },
    mutationFn: async () => {
      const value = [...(client.getQueryData<readonly number[]>(queryKey) ?? NONE)];
      await call(sdk.putUserOption({ body: { name: 'favourite_devices', value } }));
    },
    onSettled: () => client.invalidateQueries({ queryKey: OVERVIEW_KEY }),
    onError: () => client.invalidateQueries({ queryKey }),
  });
  const toggle = (id: number): void => {
    client.setQueryData(queryKey, toggledDevice(client.getQueryData(queryKey) ?? data ?? NONE, id));
    mutate();
  };
  return { ids: data ?? NONE, toggle: data === undefined ? undefined : toggle };
}
