import type { TraceEntry } from '@/lib/live';
import type { TraceLine } from './buffer';

export const KINDS = [
  'frame',
  'packet',
  'link',
  'target',
  'port',
  'device',
  'configuration',
  'command',
  'firmware',
  'log',
] as const;
export type Kind = (typeof KINDS)[number];

/** '' is all. */
export interface TraceFilters {
  text: string;
  kind: string;
  source: string;
  device: string;
  direction: string;
  isErrorsOnly: boolean;
}

export const NO_FILTERS: TraceFilters = {
  text: '',
  kind: '',
  source: '',
  device: '',
  direction: '',
  isErrorsOnly: false,
};

const BAD_CODES: ReadonlySet<string> = new Set([
  'down',
  'closed',
  'lost',
  'refused',
  'reverted',
  'rolled_back',
  'warning',
  'error',
  'critical',
]);

/** A frame that cannot be read, a refusal of a device, a loss, or a line of the log from warning on. */
export function isBad({ code = '', error = '', fields = {} }: TraceEntry): boolean {
  return error !== '' || BAD_CODES.has(code) || 'exception' in fields || fields.refused === true;
}

/** What can be searched of an entry: its words, its bytes with and without blanks, and what is decoded. */
export function searched(entry: TraceEntry): string {
  const data = entry.data ?? '';
  const decoded = entry.fields === undefined ? '' : JSON.stringify(entry.fields);
  const parts = [entry.source, entry.device, entry.code, entry.text, data, spaced(data), decoded, entry.error];
  return parts.filter(Boolean).join('\n').toLowerCase();
}

/** Bytes as pairs of digits. */
export function spaced(data: string): string {
  return data.replaceAll(/..(?=.)/g, '$& ');
}

/** The lines that pass; places where entries are missing stay, for nobody knows what they were. */
export function filtered(lines: readonly TraceLine[], filters: TraceFilters): readonly TraceLine[] {
  const { kind, source, device, direction, isErrorsOnly } = filters;
  const text = filters.text.trim().toLowerCase();
  if (Object.values({ ...filters, text }).every((value) => value === '' || value === false)) return lines;
  return lines.filter(
    ({ entry }) =>
      entry === null ||
      ((kind === '' || entry.kind === kind) &&
        (source === '' || entry.source === source) &&
        (device === '' || entry.device === device) &&
        (direction === '' || entry.direction === direction) &&
        (!isErrorsOnly || isBad(entry)) &&
        (text === '' || searched(entry).includes(text))),
  );
}

/** What there is to choose of a field, in order. */
export function choices(lines: readonly TraceLine[], field: 'source' | 'device'): readonly string[] {
  const all = new Set<string>();
  for (const { entry } of lines) if (entry !== null && entry[field]) all.add(entry[field]);
  return [...all].sort((a, b) => a.localeCompare(b));
}
