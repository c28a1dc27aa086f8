import { screen, within } from '@testing-library/react';
import type { GetOverviewData, GetOverviewResponse, Overview as Answer } from '@/api/generated/types.gen';
import Overview from '@/features/overview/screens/Overview';
import { answer } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

export const PATH = '/api/v1/overview';
export const HOUR = 3_600_000;
export const MAY = [
  'PlatformOverView',
  'Monitor.DeviceMonitor',
  'Monitor.DeviceMonitorList',
  'Monitor.DeviceMap',
  'DeviceManage',
  'Device/save',
  'Event',
  'DeviceMonitor_Online',
  'HisData',
  'FileDownload',
];
export const NOW = Date.now();

export function overview(changes: Partial<Answer> = {}): Answer {
  return {
    server_ms: NOW,
    states: {
      total: 12,
      statuses: { online: 6, partly: 1, silent: 0, alarm: 2, offline: 3 },
      away: 1,
      never_connected: 2,
      disabled: 0,
      asleep: 0,
    },
    problems: { rows: [], counts: [] },
    suppressions: {},
    values: null,
    events: { alarms: null, on_offline: null },
    completeness: null,
    counting: false,
    link: null,
    favourites: null,
    places: null,
    targets_down: 0,
    platform: null,
    watch: [],
    ...changes,
  };
}

export let calls: Call[];

export function serve(changes: Partial<Answer> = {}): void {
  calls = answer<GetOverviewData, GetOverviewResponse>('get', PATH, overview(changes));
}

export async function page(changes: Partial<Answer> = {}, permissions: readonly string[] = MAY): Promise<Rendered> {
  serve(changes);
  const shown = await show(<Overview />, { permissions });
  await screen.findByTestId('overview-as-of');
  return shown;
}

export const part = (name: string): HTMLElement => screen.getByTestId(`overview-${name}`);
export const text = (name: string): string => part(name).textContent;
export const hrefOf = (element: HTMLElement): string => element.getAttribute('href') ?? '';
export const linksIn = (element: HTMLElement): string[] => within(element).queryAllByRole('link').map(hrefOf);
