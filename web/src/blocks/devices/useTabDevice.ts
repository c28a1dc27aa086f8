import { useQuery } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type { DeviceDetail } from '@/api/generated/types.gen';
import { call } from '@/api/http';
import { useTab } from '@/lib/tab';

/** The device of this page, for a tab that another feature adds to it. The page has loaded it and keeps it fresh. */
export function useTabDevice(): DeviceDetail {
  const { search } = useTab();
  const id = Number(search.device_id);
  const { data } = useQuery({
    queryKey: ['device', id],
    queryFn: ({ signal }) => call(sdk.getDevice({ path: { device_id: id }, signal })),
  });
  if (data === undefined) throw new Error('useTabDevice: outside of a loaded device');
  return data;
}
