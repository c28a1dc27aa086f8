import type { ConfigurationDifference } from './api';

export const SECTIONS = ['points', 'slaves', 'ports', 'scripts'] as const;
export const PARTS = ['changed', 'added', 'removed'] as const;
export type SectionName = (typeof SECTIONS)[number] | 'other' | 'link';
export type Part = (typeof PARTS)[number];

export interface Group {
  kind: 'group';
  id: string;
  section: SectionName;
  part: Part;
  /** In the whole difference; shown may be fewer. */
  count: number;
  isOpen: boolean;
}

export interface Item {
  kind: 'item';
  id: string;
  part: Part;
  name: string;
}

export interface Field {
  kind: 'field';
  id: string;
  field: string;
  before: unknown;
  after: unknown;
}

export type Line = Group | Item | Field;

/** How many rows differ at all. */
export function totalOf({ counts, link }: ConfigurationDifference): number {
  return SECTIONS.reduce(
    (sum, name) => sum + PARTS.reduce((part, which) => part + counts[name][which], 0),
    counts.other + link.length,
  );
}

const has = (text: string, wanted: string): boolean => text.toLowerCase().includes(wanted);

/** A difference as lines of one list: a group, its rows, and under a changed row its fields. */
export function linesOf(difference: ConfigurationDifference, wanted: string, closed: ReadonlySet<string>): Line[] {
  const search = wanted.trim().toLowerCase();
  const lines: Line[] = [];
  const fields = (of: string, changes: readonly { field: string; before: unknown; after: unknown }[]): void => {
    for (const change of changes) lines.push({ kind: 'field', id: `${of}/${change.field}`, ...change });
  };
  const group = (section: SectionName, part: Part, count: number): boolean => {
    const id = `${section}.${part}`;
    lines.push({ kind: 'group', id, section, part, count, isOpen: !closed.has(id) });
    return !closed.has(id);
  };
  const link = difference.link.filter(({ field }) => has(field, search));
  if (link.length > 0 && group('link', 'changed', difference.link.length)) fields('link', link);
  const other = difference.other.filter(({ field }) => has(field, search));
  if (other.length > 0 && group('other', 'changed', difference.counts.other)) fields('other', other);
  for (const section of [...SECTIONS].reverse()) {
    for (const part of PARTS) {
      const rows =
        part === 'changed'
          ? difference[section].changed
          : difference[section][part].map((name) => ({ name, fields: [] }));
      const visible = rows.filter(
        ({ name, fields }) => has(name, search) || fields.some(({ field }) => has(field, search)),
      );
      if (visible.length === 0 || !group(section, part, difference.counts[section][part])) continue;
      for (const row of visible) {
        const id = `${section}/${row.name}`;
        lines.push({ kind: 'item', id, part, name: row.name });
        fields(id, row.fields);
      }
    }
  }
  return lines;
}

export interface PortLoad {
  port: string;
  before: number | null;
  after: number | null;
}

/** A bus that has more to do than it has time for. */
export const FULL_PERCENT = 100;

/** Only what a person should see first: ports whose load changes, the fullest first. */
export function changedLoads(ports: readonly PortLoad[]): PortLoad[] {
  const isNoticeable = ({ before, after }: PortLoad): boolean => Math.abs((before ?? 0) - (after ?? 0)) >= 0.05;
  return ports.filter(isNoticeable).sort((a, b) => (b.after ?? 0) - (a.after ?? 0));
}
