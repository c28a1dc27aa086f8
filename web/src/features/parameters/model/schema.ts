import type { ParameterGroupSchema } from '@/api/generated/types.gen';

export interface Words {
  zh: string;
  en: string;
}

/** What of JSON schema (2020-12) the cloud uses for parameters. */
export interface Shape {
  type?: 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object' | 'null';
  enum?: readonly (string | number)[];
  anyOf?: readonly Shape[];
  items?: Shape;
  $ref?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  additionalProperties?: Shape | false;
  maxProperties?: number;
  'x-label'?: Words;
  'x-secret'?: boolean;
}

interface RowShape {
  properties: Readonly<Record<string, Shape>>;
  required?: readonly string[];
  $defs?: Readonly<Record<string, RowShape>>;
}

export type Kind =
  'switch' | 'integer' | 'number' | 'text' | 'any' | 'choice' | 'choices' | 'texts' | 'pairs' | 'entries';
/** Fields of the document by name; those that have their default may be left out. */
export type Row = Readonly<Record<string, unknown>>;

/** A field of a group, or of the entries of a list in it. */
export interface Field {
  name: string;
  label: Words;
  kind: Kind;
  isRequired: boolean;
  isSecret: boolean;
  /** Null is a value of it: none. */
  isOptional: boolean;
  default: unknown;
  /** What is allowed of a value. */
  shape: Shape;
  choices: readonly (string | number)[];
  /** Of kind 'entries': fields of one. */
  fields: readonly Field[];
}

export interface Group {
  name: string;
  title: Words;
  /** Fields that name a row; none of a group that is there once. */
  key: readonly string[];
  maxRows: number;
  fields: readonly Field[];
}

/** What the cloud shows in place of a secret, and puts the secret back for. */
export const MASK = '******';

/** A rule that a field breaks, as gateway and cloud name it: baud of a group that is there once, [0].baud of others. */
export interface Fault {
  field: string;
  rule: string;
}

/** A group as the cloud describes it. */
export function groupOf({ name, title, key, max_rows, row }: ParameterGroupSchema): Group {
  const shape = row as unknown as RowShape;
  return { name, title, key, maxRows: max_rows, fields: fieldsOf(shape, shape.$defs ?? {}) };
}

function fieldsOf({ properties, required = [] }: RowShape, definitions: Readonly<Record<string, RowShape>>): Field[] {
  return Object.entries(properties).map(([name, given]) => {
    const parts = (given.anyOf ?? [given]).filter(({ type }) => type !== 'null');
    const shape: Shape = parts.length === 1 ? { ...parts[0] } : given;
    const entry = definitions[shape.items?.$ref?.split('/').at(-1) ?? ''];
    return {
      name,
      label: shape['x-label'] ?? given['x-label'] ?? { zh: name, en: name },
      kind: kindOf(shape),
      isRequired: required.includes(name),
      isSecret: (shape['x-secret'] ?? given['x-secret']) === true,
      isOptional: given.anyOf?.some(({ type }) => type === 'null') === true,
      default: given.default,
      shape,
      choices: shape.enum ?? shape.items?.enum ?? [],
      fields: entry === undefined ? [] : fieldsOf(entry, definitions),
    };
  });
}

function kindOf({ type, enum: choices, items, anyOf }: Shape): Kind {
  if (anyOf !== undefined) return 'any';
  if (choices !== undefined) return 'choice';
  if (type === 'boolean') return 'switch';
  if (type === 'integer' || type === 'number') return type;
  if (type === 'object') return 'pairs';
  if (type !== 'array') return 'text';
  if (items?.$ref !== undefined) return 'entries';
  return items?.enum === undefined ? 'texts' : 'choices';
}

/** Groups of few plain fields are edited as a sheet. */
export const isSheet = ({ key, fields }: Group): boolean => key.length > 0 && fields.length <= 6;

/** What a row is known by, such as slave.point; '' of a group that is there once. */
export const rowName = ({ key }: Pick<Group, 'key'>, row: Row): string =>
  key.map((name) => String(row[name] ?? '')).join('.');
