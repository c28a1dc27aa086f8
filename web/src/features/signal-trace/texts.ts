import type { TraceEntry } from '@/lib/live';
import type { TraceLine } from './buffer';
import { spaced } from './filters';

const BYTES_PER_ROW = 16;

/** Bytes in rows of sixteen: offset, hexadecimal, and what is printable of ASCII. */
export function hexDump(data: string): string {
  const bytes = data.match(/../g) ?? [];
  const rows: string[] = [];
  for (let at = 0; at < bytes.length; at += BYTES_PER_ROW) {
    const row = bytes.slice(at, at + BYTES_PER_ROW);
    const letters = row.map((byte) => letterOf(Number.parseInt(byte, 16))).join('');
    const offset = at.toString(16).padStart(4, '0').toUpperCase();
    rows.push(`${offset}  ${row.join(' ').padEnd(3 * BYTES_PER_ROW - 1)}  ${letters}`);
  }
  return rows.join('\n');
}

function letterOf(code: number): string {
  return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '.';
}

/** A decoded field as text. */
export function fieldText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What is decoded, in one line. */
export function fieldsLine(fields: Readonly<Record<string, unknown>> = {}): string {
  return Object.entries(fields)
    .filter(([name]) => name !== 'direction')
    .map(([name, value]) => `${name}=${fieldText(value)}`)
    .join(' ');
}

const ARROWS = { sent: '>', received: '<' } as const;

/** An entry as a line of the text file, in the words of the gateway; time in UTC. */
export function entryText(entry: TraceEntry): string {
  const arrow = entry.direction === undefined ? '' : ARROWS[entry.direction];
  const bytes = entry.hidden === true ? `(${entry.size ?? 0} bytes)` : spaced(entry.data ?? '');
  const parts = [
    new Date(entry.t_ms).toISOString(),
    entry.kind,
    entry.source,
    entry.device,
    arrow,
    entry.code,
    bytes,
    entry.text?.replaceAll('\n', ' '),
    fieldsLine(entry.fields),
    entry.error,
  ];
  return parts.filter(Boolean).join(' ');
}

/** A text file of the lines. missing: words for so many missing entries. */
export function asText(lines: readonly TraceLine[], missing: (count: number) => string): string {
  return lines
    .map((line) => `${line.entry === null ? `-- ${missing(line.missing)}` : entryText(line.entry)}\n`)
    .join('');
}

/** One JSON object a line; a place where entries are missing is {"missing": n}. */
export function asJsonLines(lines: readonly TraceLine[]): string {
  return lines.map((line) => `${JSON.stringify(line.entry ?? { missing: line.missing, t_ms: line.t_ms })}\n`).join('');
}
