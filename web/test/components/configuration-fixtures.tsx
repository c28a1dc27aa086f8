import { screen } from '@testing-library/react';
import type {
  CheckConfigurationData,
  CheckConfigurationResponse,
  CompareConfigurationsData,
  CompareConfigurationsResponse,
  ConfigurationState,
  DeploymentDetail,
  DeploymentStatus,
  DeviceDetail,
  GetConfigurationData,
  GetConfigurationResponse,
  GetConfigurationVersionData,
  GetConfigurationVersionResponse,
  GetDeviceData,
  GetDeviceResponse,
  ListDeploymentsData,
  ListDeploymentsResponse,
  Version,
} from '@/api/generated/types.gen';
import { queryClient } from '@/app/queryClient';
import { useDrafts } from '@/features/configuration/draft';
import ConfigurationTab from '@/features/configuration/screens/ConfigurationTab';
import { device } from './fixtures';
import { answer } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

export const CONFIGURATION = '/api/v1/device/{device_id}/configuration';
export const DEPLOYMENT = '/api/v1/device/deployment/{deployment_id}';
export const DEPLOY = '/api/v1/device/{device_id}/deploy';
export const CHECK = `${CONFIGURATION}/check` as const;
export const T0 = 1_700_000_000_000;
export const RUNNING = 'a'.repeat(64);
export const DRAFT = 'd'.repeat(64);
export const OTHER = 'e'.repeat(64);
export const DOCUMENT = {
  slaves: [{ name: 'boiler', address: 1 }],
  gateway: { id: 'gw-1' },
  points: [
    { slave: 'boiler', name: 'flow' },
    { slave: 'boiler', name: 'level' },
  ],
};

export const version = (changes: Partial<Version> = {}): Version => ({
  hash: RUNNING,
  origin: 'cloud',
  parent: null,
  author: 'Li',
  note: 'two more points',
  created_ms: T0,
  size: 1_000,
  points: 2,
  ...changes,
});

export function state(changes: Partial<ConfigurationState> = {}): ConfigurationState {
  return {
    running: { hash: RUNNING, origin: 'cloud', since_ms: T0, known: true },
    accepted: RUNNING,
    local_edit: false,
    draft: null,
    newest: RUNNING,
    deployment: null,
    versions: [version()],
    total: 1,
    ...changes,
  };
}

export const draft = (changes = {}): ConfigurationState['draft'] => ({
  hash: DRAFT,
  base: RUNNING,
  author: 'Wang',
  changed_ms: T0 + 60_000,
  behind: false,
  ...changes,
});

export function status(changes: Partial<DeploymentStatus> = {}): DeploymentStatus {
  return {
    id: 'd1',
    device_id: 1,
    hash: DRAFT,
    base: RUNNING,
    state: 'sent',
    check_only: false,
    wait: false,
    confirm_s: 120,
    healthy_share: 0.9,
    user: 'Wang',
    created_ms: T0,
    expires_ms: T0 + 3_600_000,
    sent_ms: T0 + 1_000,
    finished_ms: null,
    code: '',
    detail: '',
    ...changes,
  };
}

export const detail = (changes: Partial<DeploymentDetail> = {}): DeploymentDetail => ({
  ...status(),
  steps: [],
  faults: [],
  change: null,
  missing: null,
  ...changes,
});

export let reads: Call[];
let gateway: DeviceDetail;

export function serve(changes: Partial<ConfigurationState> = {}): void {
  reads = answer<GetConfigurationData, GetConfigurationResponse>('get', CONFIGURATION, state(changes));
}

/** The cloud of these tests: a gateway whose configuration is known, without a draft. */
export function answerConfiguration(): void {
  useDrafts.setState({ byDevice: {} });
  gateway = device();
  answer<GetDeviceData, GetDeviceResponse>('get', '/api/v1/device/{device_id}', () => gateway);
  answer<ListDeploymentsData, ListDeploymentsResponse>('get', '/api/v1/device/{device_id}/deployments', {
    rows: [],
    total: 0,
  });
  answer<GetConfigurationVersionData, GetConfigurationVersionResponse>('get', `${CONFIGURATION}/{hash}`, {
    version: version(),
    masked: false,
    document: DOCUMENT,
  });
  answer<CheckConfigurationData, CheckConfigurationResponse>('post', CHECK, detail({ state: 'checked' }));
  const section = { added: [], removed: [], changed: [] };
  const none = { added: 0, removed: 0, changed: 0 };
  answer<CompareConfigurationsData, CompareConfigurationsResponse>('get', `${CONFIGURATION}/diff`, {
    before: RUNNING,
    after: DRAFT,
    counts: { points: { ...none, added: 2 }, slaves: none, ports: none, scripts: none, other: 1 },
    periods: [],
    points: section,
    slaves: section,
    ports: section,
    scripts: section,
    other: [],
    link: [],
    link_lost: false,
    truncated: false,
  } as unknown as CompareConfigurationsResponse['data']);
}

export interface Around {
  /** Of the tab's address. */
  at?: string;
  permissions?: readonly string[];
  device?: Partial<DeviceDetail>;
}

export async function tab(changes: Partial<ConfigurationState> = {}, around: Around = {}): Promise<Rendered> {
  const { at = '', permissions = ['DeviceManage'], device: of = {} } = around;
  serve(changes);
  gateway = device(of);
  queryClient.setQueryData(['device', 1], gateway); // the page around the tab has loaded it
  const page = await show(<ConfigurationTab />, { permissions, at: `/?device_id=1${at}` });
  await screen.findByTestId('configuration-standing');
  return page;
}

export const READ_ONLY = { access: { owner: 'Li', role: 'reader', writes: false } } as unknown as Partial<DeviceDetail>;
export const address = (): Record<string, string> => Object.fromEntries(new URLSearchParams(window.location.search));
export const button = (name: string): HTMLButtonElement => screen.getByTestId<HTMLButtonElement>(name);
