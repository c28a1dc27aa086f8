import { valueAt, withField } from '@/lib/document/rows';
import type { Fields } from '@/lib/document/rows';
import type { Content } from '../api';

export type { Fields };
export { valueAt };

/** A row of a sheet: a point, port or slave as the document has it. key stays while it is edited. */
export interface Line {
  key: number;
  fields: Fields;
}

let lastKey = 0;

export function newLine(fields: Fields): Line {
  lastKey += 1;
  return { key: lastKey, fields };
}

/** Rows of a list of the document. */
export function linesOf(content: Content, section: string): readonly Line[] {
  const rows = content[section];
  return Array.isArray(rows) ? rows.map((row) => newLine(row as Fields)) : [];
}

/** A line with a value at a path; undefined takes it away, and an empty table with it. */
export function withValue(line: Line, path: string, value: unknown): Line {
  const fields = withField(line.fields, path, value);
  return fields === line.fields ? line : { ...line, fields };
}

export const nameOf = ({ fields }: Line): string => String(fields.name ?? '');

/** A free name: the next one of a row that is copied (level9 becomes level10). */
export function freeName(taken: ReadonlySet<string>, of: string): string {
  const [, stem = '', digits = ''] = /^(.*?)(\d*)$/.exec(of) ?? [];
  let next = digits === '' ? 1 : Number(digits) + 1;
  while (taken.has(`${stem}${next}`)) next += 1;
  return `${stem}${next}`;
}

/** Name of a fresh row: the first one, or the next that is free. */
export function freshName(taken: ReadonlySet<string>, first: string): string {
  return taken.has(first) ? freeName(taken, first) : first;
}

const NAME = /^[A-Za-z0-9_]{1,64}$/;
const WIDE_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export type NameFault = 'missing' | 'form' | 'twice';

/** What is wrong with the names of lines, by their keys. Names of ports and slaves may have a dash. */
export function nameFaults(
  lines: readonly Line[],
  dash: boolean,
  group: (line: Line) => string = () => '',
): ReadonlyMap<number, NameFault> {
  const faults = new Map<number, NameFault>();
  const seen = new Set<string>();
  for (const line of lines) {
    const name = nameOf(line);
    const fullName = `${group(line)} ${name}`;
    if (name === '') faults.set(line.key, 'missing');
    else if (!(dash ? WIDE_NAME : NAME).test(name)) faults.set(line.key, 'form');
    else if (seen.has(fullName)) faults.set(line.key, 'twice');
    seen.add(fullName);
  }
  return faults;
}
