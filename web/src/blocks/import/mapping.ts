import { formatDateTime } from '@/lib/time';
import type { Choice } from '@/components/AsyncPicker';
import type { ImportPreview, ImportRow, ImportSheet, SheetMapping } from '@/api/generated/types.gen';

export type RowKind = ImportRow['kind'];
export type SheetKind = ImportRow['sheet'];

export const MAX_FILE_MIB = 20;
export const SHEET_KINDS: readonly SheetKind[] = ['devices', 'ports', 'slaves', 'points'];
export const ROW_KINDS: readonly RowKind[] = ['added', 'changed', 'removed', 'wrong'];
const MIB = 1024 * 1024;
const ENDINGS = ['.xls', '.xlsx'] as const;

/** Why a file is not sent: its name or its size; null when it may be. */
export function fileFault(file: Pick<File, 'name' | 'size'>): 'form' | 'size' | null {
  const name = file.name.toLowerCase();
  if (!ENDINGS.some((ending) => name.endsWith(ending))) return 'form';
  return file.size === 0 || file.size > MAX_FILE_MIB * MIB ? 'size' : null;
}

/** What the cloud guessed. */
export function guessedOf(sheets: readonly ImportSheet[]): SheetMapping[] {
  return sheets.map(({ kind, fields }) => ({ kind, fields: [...fields] }));
}

/** A column stands for another field; whichever had that field before has none. */
export function withField(mapping: SheetMapping, at: number, field: string | null): SheetMapping {
  return {
    ...mapping,
    fields: mapping.fields.map((each, place) => (place === at ? field : each === field ? null : each)),
  };
}

/** A sheet is of another kind; its columns are chosen anew. Of two sheets of a kind the first loses it. */
export function withKind(mappings: readonly SheetMapping[], at: number, kind: SheetKind | null): SheetMapping[] {
  return mappings.map((each, place) => {
    if (place === at) return { kind, fields: each.kind === kind ? each.fields : each.fields.map(() => null) };
    return kind !== null && each.kind === kind ? { ...each, kind: null } : each;
  });
}

/** Fields without which rows of a sheet cannot be told apart and that no column stands for. */
export function missingKeys(mapping: SheetMapping, keys: readonly string[]): string[] {
  return mapping.kind === null ? [] : keys.filter((key) => !mapping.fields.includes(key));
}

/** Projects that have the text, each with the way to it from the top: titles may be the same. */
export function projectChoices(
  nodes: readonly { id: number; parent_id: number | null; title: string }[],
  search: string,
  max: number,
): Choice[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const wayOf = (id: number | null): string[] => {
    const above = id === null ? undefined : byId.get(id);
    return above === undefined ? [] : [...wayOf(above.parent_id), above.title];
  };
  const matches = nodes.filter(({ title }) => title.toLowerCase().includes(search.toLowerCase()));
  return matches
    .slice(0, max)
    .map(({ id, title, parent_id }) => ({ value: String(id), label: title, note: wayOf(parent_id).join(' / ') }));
}

/** What a row is called: gateway, slave, point. */
export function rowName({ gateway_id, key }: Pick<ImportRow, 'gateway_id' | 'key'>): string {
  return [gateway_id, ...key].filter((part) => part !== '').join(' / ');
}

/** What templates bring, change and take, sheet by sheet; a sheet that they leave alone is not there. */
export function templateCountsOf({
  by_template,
}: Pick<ImportPreview, 'by_template'>): { sheet: SheetKind; counts: { kind: RowKind; count: number }[] }[] {
  return SHEET_KINDS.map((sheet) => ({
    sheet,
    counts: ROW_KINDS.map((kind) => ({ kind, count: by_template?.[sheet]?.[kind] ?? 0 })).filter(
      ({ count }) => count > 0,
    ),
  })).filter(({ counts }) => counts.length > 0);
}

/** Key of the words for a preview, or a part of it, without rows. */
export function nothingKey({ counts, unchanged }: Pick<ImportPreview, 'counts' | 'unchanged'>): string {
  const isEmpty = Object.values(counts).every((each) => ROW_KINDS.every((kind) => each[kind] === 0));
  return `base:import.${!isEmpty ? 'nothing' : unchanged > 0 ? 'same' : 'noRows'}`;
}

/** Times are UTC in the file; on the screen they are as elsewhere. */
const TIME = 'expire_ms';

export function fieldTitle({ field, zh, en }: { field: string; zh: string; en: string }, language: string): string {
  const title = language === 'en' ? en : zh;
  return field === TIME ? title.replace(/\s*\(UTC\)$/, '') : title;
}

/** A value as a cell of this field shows it. */
export function valueText(value: unknown, field = ''): string {
  if (field === TIME && typeof value === 'number') return formatDateTime(value);
  if (value === null || value === undefined || value === '') return '—';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
