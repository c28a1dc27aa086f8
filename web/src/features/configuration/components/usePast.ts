import { useQuery } from '@tanstack/react-query';
import { deploymentsQuery } from '../api';
import type { ConfigurationState, Version } from '../api';
import { pastOf } from '../history';
import type { Past } from '../history';

/** The longest page of the cloud. */
const MAX = 100;

/** What became of each version, by the gateway's last deployments; null until they are here. */
export function usePast(
  deviceId: number,
  { accepted, running }: ConfigurationState,
): (version: Version) => Past | null {
  const { data, error } = useQuery(deploymentsQuery(deviceId, 1, MAX));
  return (version) =>
    data === undefined && error === null
      ? null
      : pastOf(version, {
          accepted,
          running: running?.hash,
          deployments: data?.rows ?? [],
          isAll: data !== undefined && data.total <= data.rows.length,
        });
}
