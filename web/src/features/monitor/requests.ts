import type { DeviceDetail } from './api';

export type Requests = NonNullable<DeviceDetail['slaves'][number]['requests']>;
export type Fault = NonNullable<Requests['faults']>[number];

const KINDS: ReadonlySet<string> = new Set([
  'checksum',
  'foreign_answer',
  'bad_frame',
  'exception',
  'no_answer',
  'connection_refused',
  'port_down',
  'bus_error',
]);

/** Key of the word for a kind of fault; null for one that this portal does not know and shows by its name. */
export function faultKey(kind: string): string | null {
  return KINDS.has(kind) ? `monitor:fault.${kind}` : null;
}

/** The code with which a device refused, as its manual has it: 0x02, 0xC051. */
export function codeText(code: number | null | undefined): string {
  if (code === null || code === undefined) return '';
  const digits = code.toString(16).toUpperCase();
  return `0x${digits.padStart(digits.length > 2 ? 4 : 2, '0')}`;
}

/** Share of the requests that failed, such as 3.3 %; null when there were none. More than nothing never shows as 0. */
export function failureText({ requests, failures }: Pick<Requests, 'requests' | 'failures'>): string | null {
  if (requests === 0) return null;
  const percent = (100 * Math.min(failures, requests)) / requests;
  if (percent === 0 || percent === 100) return `${percent} %`;
  return `${Math.min(99.9, Math.max(0.1, percent)).toFixed(1)} %`;
}

/** A response time, with a decimal below 10 ms. */
export function responseText(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}
