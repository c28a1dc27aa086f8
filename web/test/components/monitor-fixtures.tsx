import { screen } from '@testing-library/react';
import type {
  DataSource,
  DeviceDetail as Device,
  GetAccessPasswordData,
  GetAccessPasswordResponse,
  GetCompletenessData,
  GetCompletenessResponse,
  GetDeviceData,
  GetDeviceResponse,
  GetLastValuesData,
  GetLastValuesResponse,
  GetOptionData,
  GetOptionResponse,
  ListDataSourcesData,
  ListDataSourcesResponse,
  ListPresetsData,
  ListPresetsResponse,
} from '@/api/generated/types.gen';
// Before the screen: it takes the tabs of other features as the manifest has set them.
import '@/app/manifest';
import DeviceDetail from '@/features/monitor/screens/DeviceDetail';
import { usePreferences } from '@/lib/preferences';
import { serverNow } from '@/lib/serverClock';
import { device, source } from './fixtures';
import { answer } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

export const DEVICE = '/api/v1/device/{device_id}';
export const LOG = '/api/v1/device/onofflinelog';
export const COMMANDS = '/api/v1/device/cmd';
export const AT = 1_700_000_000_000;
const MAY = ['Monitor.DeviceMonitor', 'DeviceManage', 'Device/cmd', 'HisData', 'Event'];

function whole(changes: Partial<Device> = {}): Device {
  return device({
    status: 'online',
    presence: { status: 'online', layer: '', code: 'ok', since_ms: null, arguments: {} },
    slaves_online: 1,
    slaves_total: 1,
    points: 2,
    data_ms: serverNow(),
    agent_version: '2.1',
    backlog_batches: 0,
    hours_left: null,
    received_batches: 100,
    missing_batches: 0,
    duplicate_batches: 3,
    evicted_batches: 4,
    dropped_samples: 5,
    written_bytes_day: 1_250_000,
    clock_set: true,
    stream: 's1',
    catalog: 'c1',
    refusal: null,
    settings_pending: [],
    device_province: '',
    device_city: '',
    device_district: '',
    device_address: '',
    device_floorroom: '',
    expire_ms: null,
    remark: '',
    ...changes,
  });
}

const SOURCES = [
  source(),
  source({
    dsid: 12,
    ds_name: 'level',
    ds_title: 'Level',
    unit: 'm',
    rw: 'readonly',
    slave: 'tank',
    slave_title: 'Tank',
  }),
];

/** The gateway and its points as a test has them. */
export const given: { gateway: Partial<Device>; points: DataSource[] } = { gateway: {}, points: [] };
export let asks: Call[];

/** The gateway's address first: others begin like it. */
export function answerAll(): void {
  asks = answer<GetDeviceData, GetDeviceResponse>('get', DEVICE, () => whole(given.gateway));
  answer<ListDataSourcesData, ListDataSourcesResponse>(
    'get',
    '/api/v1/device/dss',
    () => ({ rows: given.points, total: given.points.length }) as ListDataSourcesResponse['data'],
  );
  answer<GetLastValuesData, GetLastValuesResponse>('get', '/api/v1/device/lastdps', {
    rows: [{ dsid: 11, t_ms: serverNow(), value: 1.2, quality: 0, changed_ms: null }],
  } as unknown as GetLastValuesResponse['data']);
  answer<GetCompletenessData, GetCompletenessResponse>('get', '/api/v1/device/{device_id}/completeness', {
    received: 243,
    missing: 2,
    percent: 99.183,
    collection: { percent: 99.999, missed: 2, expected: 200_000, good: 199_998 },
  } as unknown as GetCompletenessResponse['data']);
  answer<GetAccessPasswordData, GetAccessPasswordResponse>('get', '/api/v1/device/{device_id}/accesspassword', {
    is_set: false,
  } as GetAccessPasswordResponse['data']);
  answer<ListPresetsData, ListPresetsResponse>('get', '/api/v1/device/{device_id}/preset', {
    rows: [],
  } as unknown as ListPresetsResponse['data']);
  answer<GetOptionData, GetOptionResponse>('get', '/api/v1/option', { name: 'gateway_brand', value: 'Edge' });
}

/** The cloud of these tests: a gateway with two points, one of which has a value. */
export function answerGateway(): void {
  usePreferences.setState({ pageSize: 20 });
  given.gateway = {};
  given.points = SOURCES;
  answerAll();
}

export interface Page {
  permissions?: readonly string[];
  announced?: boolean;
  language?: 'zh' | 'en';
}

export function page(
  search: string,
  { permissions = MAY, announced = false, language = 'en' }: Page = {},
): Promise<Rendered> {
  return show(<DeviceDetail />, { permissions, flags: { announced: announced ? 1 : 0 }, at: `/?${search}`, language });
}

export const address = (): Record<string, string> => Object.fromEntries(new URLSearchParams(window.location.search));
export const cells = (row: HTMLElement | undefined): string[] =>
  [...(row as HTMLElement).querySelectorAll('th, td')].map(({ textContent }) => textContent);
export const field = (name: string): HTMLInputElement => screen.getByTestId<HTMLInputElement>(name);
