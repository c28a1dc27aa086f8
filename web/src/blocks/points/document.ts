import { ADDRESS_FIELDS, addressField } from './facts';
import type { Fields } from './point';

/** Names of a document's row that a point calls otherwise. */
const RENAMED: Readonly<Record<string, string>> = { name: 'ds_name', title: 'ds_title', type: 'ds_type' };
const OF_ADDRESS = new Map(Object.entries(ADDRESS_FIELDS).map(([inner, field]) => [field, inner]));
const OF_ROW = new Map(Object.entries(RENAMED).map(([name, field]) => [field, name]));
const ADDRESS = 'address.';
const ROW = 'row.';

/** The field of a point that stands at a path of a document's row, such as address.offset. */
export function fieldAt(path: string): string {
  if (path.startsWith(ADDRESS)) return addressField(path.slice(ADDRESS.length));
  return RENAMED[path] ?? (OF_ADDRESS.has(path) || OF_ROW.has(path) ? ROW + path : path);
}

function isTable(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A row of a configuration document as the fields of a point. What is no field is kept under its path. */
export function fieldsOf(row: Fields): Fields {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) {
    if (name !== 'address' || !isTable(value)) fields[fieldAt(name)] = value;
    else for (const [inner, each] of Object.entries(value)) fields[fieldAt(ADDRESS + inner)] = each;
  }
  return fields;
}

/** And back. */
export function rowOf(fields: Fields): Fields {
  const row: Record<string, unknown> = {};
  const address: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(fields)) {
    const inner = OF_ADDRESS.get(field) ?? (field.startsWith(ADDRESS) ? field.slice(ADDRESS.length) : undefined);
    if (inner !== undefined) address[inner] = value;
    else row[OF_ROW.get(field) ?? (field.startsWith(ROW) ? field.slice(ROW.length) : field)] = value;
  }
  return Object.keys(address).length === 0 ? row : { ...row, address };
}
