import type { TFunction } from 'i18next';
import { fieldAt } from '@/blocks/points/document';

/** What a field at a path of a document's row is called. */
export function fieldWord(path: string, t: TFunction): string {
  const ofPoint = t(`base:point.field.${fieldAt(path)}`, { defaultValue: '' });
  return ofPoint === '' ? t(`templates:field.${path}`, { defaultValue: path }) : ofPoint;
}

export function valueWord(value: unknown): string {
  if (value === null || value === undefined) return '—';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
