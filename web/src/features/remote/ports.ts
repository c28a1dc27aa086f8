import type { VcomBody } from '@/api/generated/types.gen';

export interface Line {
  baud: number;
  parity: 'N' | 'O' | 'E';
  data_bits: 7 | 8;
  stop_bits: 1 | 2;
}

export interface Port {
  name: string;
  type: 'COM' | 'NET';
  /** Serial device, or host and port. */
  where: string;
  line: Line;
}

export const BAUDS = [300, 600, 1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600];
/** What a port has that names nothing, as the agent's model has it. */
const DEFAULT: Line = { baud: 9600, parity: 'N', data_bits: 8, stop_bits: 1 };

const isTable = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Ports of a configuration that are in use. */
export function portsOf(document: Record<string, unknown>): Port[] {
  const rows = Array.isArray(document.ports) ? document.ports.filter(isTable) : [];
  return rows
    .filter((row) => row.enable !== false && typeof row.name === 'string')
    .map((row) => ({
      name: String(row.name),
      type: row.type === 'COM' ? 'COM' : 'NET',
      where: row.type === 'COM' ? String(row.device ?? '') : `${String(row.host ?? '')}:${String(row.port ?? 502)}`,
      line: {
        baud: typeof row.baud === 'number' ? row.baud : DEFAULT.baud,
        parity: row.parity === 'O' || row.parity === 'E' ? row.parity : 'N',
        data_bits: row.data_bits === 7 ? 7 : 8,
        stop_bits: row.stop_bits === 2 ? 2 : 1,
      },
    }));
}

/** 9600 8N1 */
export function lineText({ baud, parity, data_bits, stop_bits }: Line): string {
  return `${baud} ${data_bits}${parity}${stop_bits}`;
}

export interface PortRequest {
  port: string;
  mode: 'rfc2217' | 'raw';
  line: Line;
  idle_s: number;
  longest_s: number;
}

/** What is sent: the port's own settings are left out, others are told whole, because the cloud fills up with 9600 8N1. */
export function bodyOf({ port, mode, line, idle_s, longest_s }: PortRequest, known: Port | undefined): VcomBody {
  const isSerial = known === undefined || known.type === 'COM';
  const isOwn = known !== undefined && lineText(known.line) === lineText(line);
  return { port, mode, idle_s, longest_s, ...(isSerial && !isOwn ? line : {}) };
}

/** A cloud that listens everywhere is reached where its portal is. */
export function reachable(host: string, portal: string): string {
  return host === '0.0.0.0' || host === '::' || host === '' ? portal : host;
}

/** host:port, with the brackets that a numeric IPv6 host needs. */
export function endpoint(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

const UNITS = ['B', 'kB', 'MB', 'GB'];

/** 0 B, 999 B, 1.2 kB, 3.4 MB */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < UNITS.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${UNITS[unit]}`;
}

/** Time left as m:ss or h:mm:ss; 0:00 when it is over. */
export function leftText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const pad = (value: number): string => String(value).padStart(2, '0');
  const [h, min, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${pad(min)}:${pad(s)}` : `${min}:${pad(s)}`;
}

const ENDS = new Set([
  'done',
  'idle',
  'expired',
  'busy',
  'no_port',
  'port_down',
  'not_allowed',
  'refused',
  'lost',
  'link',
  'stopped',
  'restart',
]);

/** Key of why a lease ended; null for a code that this portal does not know. */
export function endKey(why: string): string | null {
  return ENDS.has(why) ? `remote:end.${why}` : null;
}
