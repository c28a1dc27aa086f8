import type { DeviceBody, DeviceDetail } from '@/api/generated/types.gen';
import { isPlace } from '@/blocks/map/isPlace';
import type { Choice } from '@/components/AsyncPicker';

export const TEXTS = [
  'device_title',
  'binder_devtitle',
  'model',
  'imei',
  'iccid',
  'device_province',
  'device_city',
  'device_district',
  'device_address',
  'device_floorroom',
  'remark',
] as const;
/** Numbers that are given as one of a list; modbus_type may be none. */
export const CODES = ['protocol', 'gateway_type', 'modbus_type'] as const;
/** Numbers of the gateway's configuration; the others are the cloud's. */
export const GATEWAY_NUMBERS = ['collect_interval_s', 'report_interval_s', 'slave_timeout_ms'] as const;
export const CLOUD_NUMBERS = ['device_mst', 'offline_alarm_delay_s'] as const;
export const NUMBERS = [...CLOUD_NUMBERS, ...GATEWAY_NUMBERS] as const;
export const SWITCHES = [
  'gis_show',
  'auto_position',
  'offline_notify',
  'offline_clear_data',
  'low_power',
  'scan_bind',
] as const;

export type TextName = (typeof TEXTS)[number];
export type CodeName = (typeof CODES)[number];
export type NumberName = (typeof NUMBERS)[number];
export type GatewayNumber = (typeof GATEWAY_NUMBERS)[number];
export type SwitchName = (typeof SWITCHES)[number];

/** Least and greatest of a number. */
export const LIMITS: Readonly<Record<NumberName, readonly [number, number]>> = {
  device_mst: [0, 1_000_000],
  offline_alarm_delay_s: [0, 86_400],
  collect_interval_s: [0.01, 86_400],
  report_interval_s: [0, 86_400],
  slave_timeout_ms: [10, 60_000],
};

export const MODBUS = '1';
const IMEI = /^([0-9]{14,17})?$/;
const ICCID = /^([0-9A-Za-z]{18,22})?$/;
export const GATEWAY_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{2,39}$/;

/** What the form of a gateway holds. expire: 'YYYY-MM-DD' or null for never; place: WGS-84 degrees. */
export type Draft = Record<TextName | CodeName, string> &
  Record<NumberName, number | string> &
  Record<SwitchName, boolean> & {
    gateway_id: string;
    project: Choice | null;
    product: Choice | null;
    place: { longitude: number; latitude: number } | null;
    expire: string | null;
    /** A new one; empty leaves it as it is. */
    access_password: string;
  };

/** Fields of the API that have another name in the form. */
export const DRAFT_NAMES = {
  longitude: 'place',
  latitude: 'place',
  project_id: 'project',
  product_id: 'product',
  expire_ms: 'expire',
} as const;

export const EMPTY: Draft = {
  gateway_id: '',
  device_title: '',
  binder_devtitle: '',
  model: '',
  imei: '',
  iccid: '',
  device_province: '',
  device_city: '',
  device_district: '',
  device_address: '',
  device_floorroom: '',
  remark: '',
  protocol: MODBUS,
  gateway_type: '3',
  modbus_type: '',
  device_mst: 0,
  offline_alarm_delay_s: 10,
  collect_interval_s: '',
  report_interval_s: '',
  slave_timeout_ms: '',
  gis_show: false,
  auto_position: false,
  offline_notify: false,
  offline_clear_data: true,
  low_power: false,
  scan_bind: true,
  project: null,
  product: null,
  place: null,
  expire: null,
  access_password: '',
};

export function draftOf(device: DeviceDetail): Draft {
  const draft: Draft = { ...EMPTY, gateway_id: device.gateway_id };
  for (const name of TEXTS) draft[name] = device[name];
  for (const name of CODES) draft[name] = String(device[name] ?? '');
  for (const name of NUMBERS) draft[name] = device[name] ?? '';
  for (const name of SWITCHES) draft[name] = device[name];
  const { longitude, latitude } = device;
  draft.place = longitude === null || latitude === null ? null : { longitude, latitude };
  draft.project = choiceOf(device.project_id, device.project_title);
  draft.product = choiceOf(device.product_id, device.product_title);
  draft.expire = dayOf(device.expire_ms);
  return draft;
}

/** A copy of a gateway: nothing that belongs to one alone. */
export function copyOf(device: DeviceDetail, title: string): Draft {
  return {
    ...draftOf(device),
    auto_position: false,
    gateway_id: '',
    device_title: title,
    imei: '',
    iccid: '',
    expire: null,
  };
}

/** Every field of the draft as the API takes it. */
export function bodyOf(draft: Draft): DeviceBody {
  const body: Record<string, unknown> = {
    project_id: idOf(draft.project),
    product_id: idOf(draft.product),
    longitude: draft.place?.longitude ?? null,
    latitude: draft.place?.latitude ?? null,
    expire_ms: beginOf(draft.expire),
  };
  for (const name of TEXTS) body[name] = draft[name].trim();
  for (const name of CODES) body[name] = draft[name] === '' ? null : Number(draft[name]);
  for (const name of NUMBERS) body[name] = draft[name] === '' ? null : Number(draft[name]);
  for (const name of SWITCHES) body[name] = draft[name];
  if (draft.protocol !== MODBUS) body.modbus_type = null;
  return body as DeviceBody;
}

/** The fields of a draft that differ from another one's: two who edit one gateway do not undo each other's. */
export function changesOf(draft: Draft, before: Draft): DeviceBody {
  const [now, then] = [bodyOf(draft) as Record<string, unknown>, bodyOf(before) as Record<string, unknown>];
  const names = Object.keys(now).filter((name) => now[name] !== then[name]);
  if (names.some((name) => name === 'longitude' || name === 'latitude')) names.push('longitude', 'latitude');
  return Object.fromEntries(names.map((name) => [name, now[name]])) as DeviceBody;
}

/** A new gateway's body: what is left empty gets the cloud's default. */
export function newBodyOf(draft: Draft): DeviceBody {
  const body = changesOf(draft, EMPTY);
  return body.device_title === '' ? { ...body, device_title: undefined } : body;
}

export type Fault = 'title' | 'gateway' | 'imei' | 'iccid' | 'password' | 'place' | 'range' | 'saving';

/** A shorter report interval is not worth closing the link for. */
const SAVING_S = 60;

/** Numbers that are given and not whole (only the collection interval need not be), or beyond their limits. */
export function beyondLimits(draft: Record<NumberName, number | string>): NumberName[] {
  return NUMBERS.filter((name) => {
    const [min, max] = LIMITS[name];
    const value = Number(draft[name]);
    return (
      draft[name] !== '' &&
      !(value >= min && value <= max && (name === 'collect_interval_s' || Number.isInteger(value)))
    );
  });
}

/** Ports of a gateway, and those of them on which its collection interval acts: they state no cycle of their own. */
export function reachOf(rows: { ports: ReadonlyMap<string, Readonly<Record<string, unknown>>> } | undefined): {
  ports: number;
  reached: number;
} {
  const ports = [...(rows?.ports.values() ?? [])];
  return {
    ports: ports.length,
    reached: ports.filter(({ capture_cycle_ms }) => capture_cycle_ms === undefined).length,
  };
}

/** What is wrong, by field. */
export function faultsOf(draft: Draft, isNew: boolean): Partial<Record<keyof Draft, Fault>> {
  const faults: Partial<Record<keyof Draft, Fault>> = {};
  if (isNew && !GATEWAY_ID.test(draft.gateway_id.trim())) faults.gateway_id = 'gateway';
  if (draft.device_title.trim() === '') faults.device_title = 'title';
  if (!IMEI.test(draft.imei.trim())) faults.imei = 'imei';
  if (!ICCID.test(draft.iccid.trim())) faults.iccid = 'iccid';
  if (draft.access_password !== '' && draft.access_password.length < 6) faults.access_password = 'password';
  if (draft.place !== null && !isPlace(draft.place.longitude, draft.place.latitude)) faults.place = 'place';
  for (const name of beyondLimits(draft)) faults[name] = 'range';
  if (draft.low_power && Number(draft.report_interval_s) < SAVING_S) faults.report_interval_s ??= 'saving';
  if (draft.device_mst === '') faults.device_mst = 'range';
  if (draft.offline_alarm_delay_s === '') faults.offline_alarm_delay_s = 'range';
  return faults;
}

/** Province to floor and room, in one line. */
export function addressOf(
  row: Pick<
    DeviceDetail,
    'device_province' | 'device_city' | 'device_district' | 'device_address' | 'device_floorroom'
  >,
): string {
  const { device_province, device_city, device_district, device_address, device_floorroom } = row;
  const parts = [
    device_province,
    device_city === device_province ? '' : device_city,
    device_district,
    device_address,
    device_floorroom,
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function choiceOf(id: number | null, title: string | null): Choice | null {
  return id === null ? null : { value: String(id), label: title ?? String(id) };
}

function idOf(choice: Choice | null): number | null {
  return choice === null ? null : Number(choice.value);
}

/** The day of this browser's calendar. */
export function dayOf(ms: number | null): string | null {
  if (ms === null) return null;
  const day = new Date(ms);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** The first moment of a day of this browser's calendar. */
export function beginOf(day: string | null): number | null {
  const [year, month, date] = (day ?? '').split('-').map(Number);
  return year === undefined || month === undefined || date === undefined
    ? null
    : new Date(year, month - 1, date).getTime();
}

/** A user's part in a gateway. */
export function partOf({ role, writes }: { role: string; writes: boolean }): 'owner' | 'read' | 'write' {
  if (role === 'owner') return 'owner';
  return writes ? 'write' : 'read';
}
