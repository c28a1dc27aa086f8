import { dependencyFaults, rowsFaults } from './dependencies';
import { MASK, rowName } from './schema';
import type { Fault, Field, Group, Row, Shape } from './schema';

/** Every fault of the rows of a group, as cloud and gateway look for them (edge_contract/parameters/validation.py). */
export function faultsOf(group: Group, rows: readonly Row[]): Fault[] {
  if (rows.length > group.maxRows)
    return [{ field: '', rule: `must have at most ${group.maxRows} rows, it has ${rows.length}` }];
  const faults = rows.flatMap((row, at) => {
    const broken = rowFaults(group.fields, row);
    const wrong = broken.length > 0 ? broken : dependencyFaults(group, row);
    return wrong.map(({ field, rule }) => ({ field: group.key.length === 0 ? field : `[${at}].${field}`, rule }));
  });
  const all = [...faults, ...doubles(group, rows)];
  return all.length > 0 ? all : rowsFaults(group.name, rows);
}

/** What the schema says of each field of a row. */
export function rowFaults(fields: readonly Field[], row: Row): Fault[] {
  return fields.flatMap((field) => {
    const value = row[field.name];
    if (value === undefined) return field.isRequired ? [{ field: field.name, rule: 'must be given' }] : [];
    return valueFaults(field, value);
  });
}

/** What the schema says of a value of a field; null is none. */
export function valueFaults(field: Field, value: unknown): Fault[] {
  if ((value === null && field.isOptional) || (field.isSecret && value === MASK)) return [];
  if (field.kind === 'entries' && Array.isArray(value)) {
    const broken = shapeRule(field.shape, value);
    if (broken !== null) return [{ field: field.name, rule: broken }];
    return value.flatMap((entry: Row, at) =>
      rowFaults(field.fields, entry).map((inner) => ({ ...inner, field: `${field.name}[${at}].${inner.field}` })),
    );
  }
  const rule = shapeRule(field.shape, value);
  return rule === null ? [] : [{ field: field.name, rule }];
}

const lengthOf = (text: string): number => [...text].length; // as Python counts them

function shapeRule(shape: Shape, value: unknown): string | null {
  if (shape.anyOf !== undefined) {
    const rules = shape.anyOf.map((part) => shapeRule(part, value));
    return rules.includes(null)
      ? null
      : (rules.find((rule) => rule !== null && !rule.includes(', not ')) ?? rules[0] ?? null);
  }
  if (shape.enum !== undefined)
    return shape.enum.includes(value as never) ? null : `must be one of ${shape.enum.join(', ')}`;
  switch (shape.type) {
    case 'boolean':
      return typeof value === 'boolean' ? null : typeRule('true or false', value);
    case 'integer':
      return Number.isInteger(value) ? numberRule(shape, value as number) : typeRule('a whole number', value);
    case 'number':
      return Number.isFinite(value) ? numberRule(shape, value as number) : typeRule('a number', value);
    case 'string':
      return typeof value === 'string' ? textRule(shape, value) : typeRule('a text', value);
    case 'array':
      return Array.isArray(value) ? listRule(shape, value) : typeRule('a list', value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? pairsRule(shape, value as Row)
        : typeRule('a table', value);
    default:
      return value === null ? null : typeRule('nothing', value);
  }
}

function typeRule(wanted: string, value: unknown): string {
  const given = Array.isArray(value)
    ? 'a list'
    : ({ string: 'a text', number: 'a number', boolean: 'true or false', object: 'a table' }[typeof value as string] ??
      'nothing');
  return given === wanted ? `must be ${wanted}` : `must be ${wanted}, not ${given}`;
}

function numberRule({ minimum = -Infinity, maximum = Infinity }: Shape, value: number): string | null {
  if (value < minimum) return `must be at least ${minimum}`;
  return value > maximum ? `must be at most ${maximum}` : null;
}

function textRule({ minLength = 0, maxLength = Infinity, pattern }: Shape, value: string): string | null {
  const length = lengthOf(value);
  if (length < minLength) return length === 0 ? 'must be given' : `must have at least ${minLength} characters`;
  if (length > maxLength) return `must have at most ${maxLength} characters`;
  if (pattern === undefined || new RegExp(pattern).test(value)) return null;
  return value === '' ? 'must be given' : `must fit the pattern ${pattern}`;
}

function listRule({ minItems = 0, maxItems = Infinity, items }: Shape, value: readonly unknown[]): string | null {
  if (value.length < minItems) return value.length === 0 ? 'must be given' : `must have at least ${minItems} items`;
  if (value.length > maxItems) return `must have at most ${maxItems} items`;
  if (items === undefined || items.$ref !== undefined) return null;
  return value.map((item) => shapeRule(items, item)).find((rule) => rule !== null) ?? null;
}

function pairsRule({ maxProperties = Infinity, additionalProperties }: Shape, value: Row): string | null {
  if (Object.keys(value).length > maxProperties) return `must have at most ${maxProperties} items`;
  if (additionalProperties === undefined || additionalProperties === false) return null;
  const rules = Object.values(value).map((item) => shapeRule(additionalProperties, item));
  return rules.find((rule) => rule !== null) ?? null;
}

function doubles(group: Group, rows: readonly Row[]): Fault[] {
  const seen = new Set<string>();
  return rows.flatMap((row, at) => {
    if (group.key.length === 0 || group.key.some((name) => !row[name])) return [];
    const name = rowName(group, row);
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [{ field: `[${at}].${group.key.at(-1)}`, rule: `must be unique, ${name} stands there twice` }];
  });
}
