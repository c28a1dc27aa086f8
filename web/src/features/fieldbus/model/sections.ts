import sections from '@/api/sections.json';

export type Row = Readonly<Record<string, unknown>>;
/** Values of a form by the names of their fields; '' for none. */
export type Values = Record<string, unknown>;

/** A field of a section, as the agent's model has it. */
export interface SectionField {
  name: string;
  kind: 'switch' | 'integer' | 'number' | 'text' | 'list' | 'choice';
  zh: string;
  en: string;
  required: boolean;
  default?: unknown;
  min?: number;
  max?: number;
  choices?: readonly (string | number)[];
  pattern?: string;
}

const { internal_slave, internal_slave_points, loop_writes } = sections as unknown as Readonly<
  Record<keyof typeof sections, readonly SectionField[]>
>;

export const SLAVE_FIELDS = internal_slave;
export const POINT_FIELDS = internal_slave_points;
export const TASK_FIELDS = loop_writes;

/** A field's value in a row of the document, its default where the row has none; '' for none. */
export const valueOf = (fields: readonly SectionField[], row: Row, name: string): unknown =>
  row[name] ?? fields.find((field) => field.name === name)?.default ?? '';

/** What a form begins with. */
export const valuesOf = (fields: readonly SectionField[], row: Row): Values =>
  Object.fromEntries(fields.map(({ name }) => [name, valueOf(fields, row, name)]));

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The row as the document has it: known fields, without those that have their default, or no value. */
export function rowOf(fields: readonly SectionField[], values: Row): Row {
  return Object.fromEntries(
    fields.flatMap((field): [string, unknown][] => {
      const value = values[field.name];
      if (value === undefined || value === null || value === '' || isSame(value, field.default)) return [];
      const isNumber = field.kind === 'integer' || (field.kind === 'number' && typeof value === 'number');
      return [[field.name, isNumber ? Number(value) : value]];
    }),
  );
}

/** A rule that a value breaks: a key of the words, with what stands in them. */
export interface Broken {
  rule: string;
  args?: Record<string, string | number>;
}

/** What the model says of a value by itself; the gateway judges the rest. */
export function brokenBy(field: SectionField, value: unknown): Broken | null {
  if (value === '' || value === undefined || value === null) return field.required ? { rule: 'required' } : null;
  if (field.kind === 'integer' || field.kind === 'number') {
    const number = Number(value);
    const { min = -Infinity, max = Infinity } = field;
    const isWrong = !Number.isFinite(number) || (field.kind === 'integer' && !Number.isInteger(number));
    if (!isWrong && number >= min && number <= max) return null;
    return Number.isFinite(min) ? { rule: 'range', args: { min, max } } : { rule: 'number' };
  }
  if (field.pattern !== undefined && !new RegExp(field.pattern).test(String(value))) return { rule: 'pattern' };
  return null;
}

/** Faults of a form by the names of its fields. */
export function brokenIn(fields: readonly SectionField[], values: Values): Record<string, Broken> {
  const broken: Record<string, Broken> = {};
  for (const field of fields) {
    const fault = brokenBy(field, values[field.name]);
    if (fault !== null) broken[field.name] = fault;
  }
  return broken;
}

/** Names of the sections in a body of the API, and in a document. */
const SECTION_NAMES: Readonly<Record<string, string>> = { points: 'internal_slave_points', tasks: 'loop_writes' };

/**
 * The field of a form that a fault of the cloud or of the gateway names (tasks.0.value, loop_writes[0].value); null when it
 * names another row, or no field of the section. at: place of the row in its section, null for a section without rows.
 */
export function fieldNamed(path: string, section: string, at: number | null): string | null {
  const [first = '', ...rest] = path
    .replace(/^(?:body|document)\./, '')
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.');
  if ((SECTION_NAMES[first] ?? first) !== section) return null;
  if (at === null) return rest[0] ?? null;
  return rest[0] === String(at) ? (rest[1] ?? null) : null;
}
