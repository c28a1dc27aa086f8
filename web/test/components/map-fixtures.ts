import { http, HttpResponse } from 'msw';
import { vi } from 'vitest';
import type {
  GetDeviceData,
  GetDeviceResponse,
  GetLastValuesData,
  GetLastValuesResponse,
  GetOptionData,
  GetOptionResponse,
  ListDataSourcesData,
  ListDataSourcesResponse,
  ListPositionsData,
  ListPositionsResponse,
  ListProductsData,
  ListProductsResponse,
  ListProjectsData,
  ListProjectsResponse,
  Positions,
} from '@/api/generated/types.gen';
import { device, source } from './fixtures';
import { answer, network } from './network';
import type { Call } from './network';

export const POSITIONS = '/api/v1/device/positions';
const DEVICE = '/api/v1/device/{device_id}';

/** The one of the card: the pattern above has every other path of devices too. */
export const MILL_ONLY = '/api/v1/device/1' as unknown as typeof DEVICE;
export const SOURCES = '/api/v1/device/dss';
export const LAST = '/api/v1/device/lastdps';
export const MAY = [
  'Monitor.DeviceMap',
  'Monitor.DeviceMonitor',
  'Monitor.DeviceLocation',
  'DeviceManage',
  'HisData',
  'Event',
];
const SIZE = { width: 800, height: 600 };

/** What jsdom does not lay out has this size. */
class FixedSize {
  readonly #report: ResizeObserverCallback;

  constructor(report: ResizeObserverCallback) {
    this.#report = report;
  }

  observe(target: Element): void {
    const box = [{ inlineSize: SIZE.width, blockSize: SIZE.height }];
    const entry = { target, contentRect: { ...SIZE, top: 0, left: 0 }, borderBoxSize: box, contentBoxSize: box };
    this.#report([entry as unknown as ResizeObserverEntry], this as unknown as ResizeObserver);
  }

  unobserve(): void {}
  disconnect(): void {}
}

interface Placed {
  id: number;
  title: string;
  status: number;
  at?: [longitude: number, latitude: number];
}

export const MILL: Placed = { id: 1, title: 'Mill', status: 1, at: [116, 40] };
export const OVEN: Placed = { id: 2, title: 'Oven', status: 2, at: [121, 31] };
const PUMP: Placed = { id: 3, title: 'Pump 10', status: 0, at: [113, 23] };
const PUMP_2: Placed = { id: 4, title: 'Pump 2', status: 0, at: [104, 30] };
const YARD: Placed = { id: 5, title: 'Yard', status: 3, at: [87, 43] };
export const ALL = [MILL, OVEN, PUMP, PUMP_2, YARD];

function positions(places: readonly Placed[], changes: Partial<Positions> = {}): Positions {
  return {
    id: places.map(({ id }) => id),
    lng: places.map(({ at }) => at?.[0] ?? 0),
    lat: places.map(({ at }) => at?.[1] ?? 0),
    status: places.map(({ status }) => status).join(''),
    title: places.map(({ title }) => title),
    total: places.length,
    placeless: 0,
    server_ms: 0,
    ...changes,
  };
}

export let calls: Call[];

export function serve(places: readonly Placed[], changes: Partial<Positions> = {}): void {
  calls = answer<ListPositionsData, ListPositionsResponse>('get', POSITIONS, positions(places, changes));
}

/** The cloud and the page of these tests: a map of a fixed size with all devices on it. */
export function answerMap(): void {
  vi.stubGlobal('ResizeObserver', FixedSize);
  HTMLCanvasElement.prototype.getContext = () => null;
  for (const [name, size] of [
    ['clientWidth', SIZE.width],
    ['clientHeight', SIZE.height],
  ] as const)
    Object.defineProperty(HTMLElement.prototype, name, { configurable: true, value: size });
  network.use(http.get('*land-50m*', () => new HttpResponse(null, { status: 404 })));
  answer<GetOptionData, GetOptionResponse>('get', '/api/v1/option', ({ query }) =>
    query.get('name') === 'alarm_levels'
      ? { name: 'alarm_levels', value: [] }
      : { name: 'map_borders', value: { lines: [], approval: '' } },
  );
  answer<ListProjectsData, ListProjectsResponse>('get', '/api/v1/project', { nodes: [] } as never);
  answer<ListProductsData, ListProductsResponse>('get', '/api/v1/product', { rows: [], total: 0 });
  answer<GetDeviceData, GetDeviceResponse>('get', DEVICE, device());
  serveSources([]);
  serveLast([]);
  serve(ALL);
}

export function serveSources(rows: ReturnType<typeof source>[]): void {
  answer<ListDataSourcesData, ListDataSourcesResponse>('get', SOURCES, { rows, total: rows.length } as never);
}

export function serveLast(rows: { dsid: number; value: number | null; quality?: number; t_ms?: number }[]): void {
  answer<GetLastValuesData, GetLastValuesResponse>('get', LAST, {
    rows: rows.map((row) => ({ quality: 0, t_ms: Date.now(), received_ms: Date.now(), ...row })),
  } as never);
}
