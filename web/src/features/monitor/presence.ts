import type { Tone } from '@/lib/quality';
import type { DeviceRow } from './api';

/** Statuses by which the list can be filtered. */
export const STATUSES = ['online', 'alarm', 'offline'] as const;
export type DeviceStatus = (typeof STATUSES)[number];

export function isStatus(text: string): text is DeviceStatus {
  return (STATUSES as readonly string[]).includes(text);
}

/** Colour of a status: only what needs a person is strong. A gateway that was never there is not a fault yet. */
export function statusTone(device: Pick<DeviceRow, 'status' | 'link'>): Tone {
  if (device.status === 'alarm') return 'bad';
  if (device.status === 'offline') return device.link.reason === 'never_connected' ? 'off' : 'bad';
  return 'ok';
}

const KNOWN_REASONS = [
  'ok', 'never_connected', 'link_lost', 'stopped', 'silent', 'version', 'not_claimed', 'disabled', 'slave_offline',
  'never_read', 'no_answer', 'port_down', 'bad_frame', 'device_error', 'bus_error',
] as const;

/** Key of a reason's text; null for a code that this portal does not know and shows as it is. */
export function reasonKey(reason: string): string | null {
  return (KNOWN_REASONS as readonly string[]).includes(reason) ? `monitor:reason.${reason}` : null;
}

/** Why the device is what it is: the link's reason, or that slaves are silent behind a link that is well. */
export function reasonOf(device: Pick<DeviceRow, 'link' | 'slaves_online' | 'slaves_total'>): string {
  const silent = device.link.online && device.slaves_online < device.slaves_total;
  return device.link.reason === 'ok' && silent ? 'slave_offline' : device.link.reason;
}

/** Share of the batches that arrived, 0..1; null before the first. */
export function completeness(received: number, missing: number): number | null {
  return received + missing === 0 ? null : received / (received + missing);
}

/** Protocols by the name that their makers give them. */
const PROTOCOLS: Readonly<Record<string, string>> = {
  modbus_tcp: 'Modbus TCP',
  modbus_rtu: 'Modbus RTU',
  modbus_rtu_tcp: 'Modbus RTU over TCP',
  dlt645_1997: 'DL/T 645-1997',
  dlt645_2007: 'DL/T 645-2007',
  s7: 'S7',
  ppi: 'PPI',
  fx: 'FX',
  mc_1e: 'MC 1E',
  mc_3e: 'MC 3E',
};

/** A protocol that this portal does not know is shown by its code. */
export function protocolName(code: string): string {
  return PROTOCOLS[code] ?? code;
}

/** What a gateway speaks to its slaves, each once, in the order of the slaves; empty while it has none. */
export function protocolsOf(slaves: readonly { protocol: string }[]): string {
  return [...new Set(slaves.map((slave) => protocolName(slave.protocol)))].join(', ');
}
