import { queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  DeviceDetail,
  GatewayTunnel,
  TunnelRow,
  ProxyState,
  VcomBody,
  VcomTunnel,
} from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { ListRequest, Page } from '@/components/resource/resource';
import { portsOf } from './ports';

export type { GatewayTunnel as GatewayPortSession, TunnelRow as PortSession, ProxyState, VcomBody, VcomTunnel };

export type Gateway = DeviceDetail;

export const ALL_PORT_SESSIONS = ['leases', 'all'] as const;

/** Leases are not pushed: while one lives its end is looked for often. */
const LIVING_REFETCH_MS = 3_000;
const REFETCH_MS = 15_000;

export function portSessionsQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['leases', deviceId],
    queryFn: async ({ signal }) => (await call(sdk.listVirtualPorts({ path: { device_id: deviceId }, signal }))).rows,
    refetchInterval: ({ state }) =>
      state.data?.some((row) => row.ended_ms === null) === true ? LIVING_REFETCH_MS : REFETCH_MS,
  });
}

export function pageQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['rproxy', deviceId],
    queryFn: ({ signal }) =>
      call(sdk.gatewayPage({ path: { device_id: deviceId }, query: { mode: 'status' }, signal })),
    refetchInterval: REFETCH_MS,
  });
}

/** Ports of the configuration that the gateway runs; null while the cloud does not know it. */
export function portsQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['ports', deviceId],
    queryFn: async ({ signal }) => {
      const state = await call(sdk.getConfiguration({ path: { device_id: deviceId }, query: { limit: 1 }, signal }));
      if (state.running === null || !state.running.known) return null;
      const hash = state.running.hash;
      const { document } = await call(sdk.getConfigurationVersion({ path: { device_id: deviceId, hash }, signal }));
      return portsOf(document);
    },
    staleTime: 30_000,
  });
}

export async function openPort(deviceId: number, body: VcomBody): Promise<VcomTunnel> {
  return call(sdk.openVirtualPort({ path: { device_id: deviceId }, body }));
}

export async function closePort(deviceId: number, sessionId: string): Promise<TunnelRow> {
  return call(sdk.closeVirtualPort({ path: { device_id: deviceId, lease: sessionId } }));
}

export async function changePage(deviceId: number, mode: 'open' | 'close'): Promise<ProxyState> {
  return call(sdk.gatewayPage({ path: { device_id: deviceId }, query: { mode } }));
}

export function loadPortSessions(
  { filters, page, limit }: ListRequest,
  signal: AbortSignal,
): Promise<Page<GatewayTunnel>> {
  const living = filters.living === 'true' || filters.living === 'false' ? filters.living === 'true' : undefined;
  return call(sdk.listAllVirtualPorts({ query: { search: filters.search || undefined, living, page, limit }, signal }));
}

export function gatewayQuery(id: number) {
  return queryOptions({
    queryKey: ['device', id],
    queryFn: ({ signal }): Promise<Gateway> => call(sdk.getDevice({ path: { device_id: id }, signal })),
  });
}
