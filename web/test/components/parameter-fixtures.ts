import type {
  GatewayParameters,
  GetConfigurationData,
  GetConfigurationResponse,
  GetDeviceData,
  GetDeviceResponse,
  GetParametersData,
  GetParametersResponse,
  ListParameterGroupsData,
  ListParameterGroupsResponse,
  ListSlavesData,
  ListSlavesResponse,
  ParameterGroupSchema,
  ParameterPlanRow,
  PlanGateway,
} from '@/api/generated/types.gen';
import exported from '../../../broker-config/contract/schema/parameters/groups.json';
import { device } from './fixtures';
import { answer } from './network';

export const MAY = ['OtaManager', 'ota.Device', 'Monitor.DeviceMonitor', 'DeviceManage'];
export const BASE = 'a'.repeat(64);
export const DRAFT = 'd'.repeat(64);
export const T = Date.UTC(2026, 10, 27, 8, 30);

const GROUPS = Object.entries(exported).map(([name, group]) => ({ name, ...group }) as unknown as ParameterGroupSchema);

/** What a gateway has: a serial line, a platform with a masked password, a hotspot that the machine cannot open. */
export function parameters(
  change: Partial<GatewayParameters> = {},
  rows: Record<string, object[]> = {},
): GatewayParameters {
  const held: Record<string, object[]> = {
    run: [{}],
    uart: [{ name: 'com1', device: '/dev/ttyS1', baud: 4800 }],
    hotspot: [{ ssid: 'site', password: '******' }],
    ...rows,
  };
  return {
    base: BASE,
    changeable: true,
    groups: GROUPS.map(({ name }) => ({ name, rows: (held[name] ?? []) as never })),
    undeployed: [],
    conditions: [{ group: 'hotspot', condition: 'not_supported', reason: 'this machine has no WiFi interface' }],
    plan: null,
    ...change,
  };
}

/** The cloud with this gateway, number 7. draft: name of what is not deployed. */
export function serveGateway(given: GatewayParameters | (() => GatewayParameters), draft: string | null = null): void {
  answer<ListParameterGroupsData, ListParameterGroupsResponse>('get', '/api/v1/ota/parameter-group', GROUPS);
  answer<GetDeviceData, GetDeviceResponse>('get', '/api/v1/device/{device_id}', device({ id: 7 }));
  answer<GetParametersData, GetParametersResponse>('get', '/api/v1/device/{device_id}/parameters', given);
  answer<ListSlavesData, ListSlavesResponse>('get', '/api/v1/device/{device_id}/slavedevice', {
    base: BASE,
    changeable: true,
    faults: [],
    rows: [{ fields: { name: 'plc' }, points: 1 }],
  } as never);
  answer<GetConfigurationData, GetConfigurationResponse>('get', '/api/v1/device/{device_id}/configuration', {
    draft: draft === null ? null : { hash: draft },
  } as never);
}

export const serveGroups = (): void => {
  answer<ListParameterGroupsData, ListParameterGroupsResponse>('get', '/api/v1/ota/parameter-group', GROUPS);
};

export const PLAN: ParameterPlanRow = {
  id: 5,
  title: 'Quiet',
  remark: '',
  version: 3,
  enabled: true,
  project_ids: [2],
  device_ids: [],
  agent_min: '1.4',
  agent_max: '',
  changes: [{ group: 'run', row: '', values: { report_interval_s: 60 }, remove: false }],
  owner_id: 1,
  owner_name: 'tester',
  author: 'tester',
  created_ms: T,
  changed_ms: T,
};

export function gateway(change: Partial<PlanGateway>): PlanGateway {
  return {
    device_id: 7,
    device_title: 'Boiler house',
    gateway_id: 'gw-1',
    agent_version: '1.4.0',
    online: true,
    skip: '',
    changes: [],
    faults: [],
    ...change,
  };
}
