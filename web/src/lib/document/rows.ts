import exported from './tables.json';

export type Fields = Readonly<Record<string, unknown>>;
/** Sections of a configuration document that are lists of rows. */
export type Section = keyof typeof exported.tables;

/** In the order in which they depend on each other: ports, slaves, points, scripts. */
export const ROW_SECTIONS = Object.keys(exported.tables) as readonly Section[];

/** The value at a path such as address.offset. */
export function valueAt(fields: Fields, path: string): unknown {
  const [first = '', second] = path.split('.');
  const value = fields[first];
  return second === undefined ? value : (value as Fields | undefined)?.[second];
}

/** The row with a value at a path; undefined takes it away, and a table that is empty then with it. The same row where nothing changes. */
export function withField(fields: Fields, path: string, value: unknown): Fields {
  if (Object.is(valueAt(fields, path), value)) return fields;
  const [first = '', second] = path.split('.');
  if (second === undefined) return put(fields, first, value);
  const inner = put((fields[first] ?? {}) as Fields, second, value);
  return put(fields, first, Object.keys(inner).length === 0 ? undefined : inner);
}

function put(fields: Fields, name: string, value: unknown): Fields {
  if (value !== undefined) return { ...fields, [name]: value };
  const { [name]: gone, ...rest } = fields;
  return gone === undefined ? fields : rest;
}
