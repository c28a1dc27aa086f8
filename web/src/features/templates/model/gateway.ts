import type { Point } from '@/blocks/points/point';
import type { Content, TemplateRow } from '../api';
import { linesOf, nameOf, withValue } from './lines';
import type { Fields, Line } from './lines';
import { pointsOf, rowsOf } from './points';

type Named = Readonly<Record<string, { template_id: number; version: number }>>;

export interface GatewayEdit {
  ports: readonly Line[];
  /** With the field template: "12@3", version 3 of template 12. */
  slaves: readonly Line[];
  points: readonly Point[];
  defaults: Content;
}

/** What they are the defaults of, the field, and its least and greatest value. */
export const DEFAULTS = [
  ['port', 'capture_cycle_ms', 10, 86_400_000],
  ['port', 'min_interval_ms', 0, 10_000],
  ['slave', 'response_timeout_ms', 10, 60_000],
  ['slave', 'retries', 0, 10],
  ['slave', 'storage_cycle_s', 0, 86_400],
] as const;

/** How many of them are beyond their limits. */
export function faultyDefaults(defaults: Content): number {
  return DEFAULTS.filter(([of, field, min, max]) => {
    const value = (defaults[of] as Fields | undefined)?.[field];
    return typeof value === 'number' && (value < min || value > max);
  }).length;
}

export const pinOf = (templateId: number, version: number): string => `${templateId}@${version}`;

/** A gateway template's content as its editor has it. */
export function editOf(content: Content): GatewayEdit {
  const named = (content.templates ?? {}) as Named;
  const slaves = linesOf(content, 'slaves').map((line) => {
    const existing = named[nameOf(line)];
    return existing === undefined ? line : withValue(line, 'template', pinOf(existing.template_id, existing.version));
  });
  return {
    ports: linesOf(content, 'ports'),
    slaves,
    points: pointsOf(content),
    defaults: (content.defaults ?? {}) as Content,
  };
}

/** And back. */
export function contentOf({ ports, slaves, points, defaults }: GatewayEdit): Content {
  const templates: Record<string, { template_id: number; version: number }> = {};
  const rows: Fields[] = slaves.map((line) => {
    const { template, ...fields } = line.fields;
    const [id, version] = String(template ?? '')
      .split('@')
      .map(Number);
    if (id && version) templates[nameOf(line)] = { template_id: id, version };
    return fields;
  });
  return { ports: ports.map(({ fields }) => fields), slaves: rows, points: rowsOf(points), templates, defaults };
}

/** Versions that a slave can have: the newest of every point template, and the ones that are pinned now. */
export function pins(
  rows: readonly TemplateRow[],
  slaves: readonly Line[],
): readonly { value: string; label: string }[] {
  const templates = rows.filter(({ kind }) => kind === 'template');
  const titles = new Map(templates.map((row) => [row.template_id, row.title]));
  const options = templates.map((row) => ({
    value: pinOf(row.template_id, row.newest),
    label: `${row.title} v${row.newest}`,
  }));
  for (const { fields } of slaves) {
    const pin = String(fields.template ?? '');
    const [id, version] = pin.split('@').map(Number);
    if (pin !== '' && !options.some(({ value }) => value === pin))
      options.push({ value: pin, label: `${titles.get(id ?? 0) ?? `#${id}`} v${version}` });
  }
  return options;
}

/** A pin moved to the newest version of its template. */
export function pinnedToNewest(rows: readonly TemplateRow[], slaves: readonly Line[]): readonly Line[] {
  const newest = new Map(rows.map((row) => [row.template_id, row.newest]));
  return slaves.map((line) => {
    const [id = 0] = String(line.fields.template ?? '')
      .split('@')
      .map(Number);
    const version = newest.get(id);
    return version === undefined ? line : withValue(line, 'template', pinOf(id, version));
  });
}
