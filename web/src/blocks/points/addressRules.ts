import type { FormField, ProtocolForm } from '@/api/generated/types.gen';
import { compiled, makeCheck } from './conditions';
import { ADDRESS_FIELDS, addressField, dataTypeOf, makePointFacts, typeOf } from './facts';
import type { Cell, Fields } from './point';
import { descriptionOf } from './protocols';

/** Data types of which two, one behind the other, are a location. */
export const PAIRS = ['int32', 'uint32', 'int64', 'uint64', 'float', 'double'];

export const ALL_TYPES = [
  'uint8',
  'int8',
  'uint16',
  'int16',
  'uint32',
  'int32',
  'uint64',
  'int64',
  'float',
  'double',
  'var',
  'string',
];

/** Data types that a protocol offers. */
export function typesOf(protocol: string): string[] {
  const missing = descriptionOf(protocol)?.missing_types ?? {};
  return ALL_TYPES.filter((type) => missing[type] === undefined);
}

/** The judge of the addresses of one slave's points; the rules are the protocol's, the cloud's cases test both. */
export function makeAddressValidator(form: ProtocolForm, options: Fields): (row: Fields) => Cell[] {
  const description = descriptionOf(form.name);
  const factsOf = makePointFacts(form, options);
  const check = makeCheck(description?.point_checks ?? []);
  return (row) => {
    const level = description?.missing_types[dataTypeOf(row)];
    if (level !== undefined)
      return [{ field: 'data_type', code: 'type_of_protocol', args: { protocol: form.name }, level }];
    const cells = wanted(row, form);
    for (const broken of check(factsOf(row))) {
      const field = broken.field.startsWith('address.')
        ? addressField(broken.field.slice('address.'.length))
        : broken.field;
      cells.push({ ...broken, field });
    }
    return cells;
  };
}

function wanted(row: Fields, form: ProtocolForm): Cell[] {
  const cells: Cell[] = [];
  const known = new Set<string>();
  for (const field of form.address) {
    const name = addressField(field.name);
    known.add(name);
    formed(row, name, field, cells);
  }
  for (const name of Object.values(ADDRESS_FIELDS)) {
    if (!known.has(name) && row[name] !== undefined && row[name] !== null)
      cells.push({ field: name, code: 'not_of_protocol', args: { protocol: form.name } });
  }
  return cells;
}

function formed(row: Fields, name: string, field: FormField, cells: Cell[]): void {
  const value = row[name];
  if (value === undefined || value === null || value === '') {
    if (field.required) cells.push({ field: name, code: 'required' });
  } else if (field.kind === 'choice' && name !== 'area') {
    if (field.choices?.includes(String(value)) !== true)
      cells.push({ field: name, code: 'choice', args: { choices: (field.choices ?? []).join(', ') } });
  } else if (
    field.kind === 'integer' &&
    typeof value === 'number' &&
    typeof field.min === 'number' &&
    typeof field.max === 'number'
  ) {
    if (value < field.min || value > field.max)
      cells.push({ field: name, code: 'range', args: { min: field.min, max: field.max } });
  }
}

type Span = readonly [start: number, end: number, at: number];

/** Places of points that share addresses without being exactly the same, each with that of another. */
export function makeOverlaps(
  form: ProtocolForm | undefined,
): (rows: readonly Fields[]) => (readonly [number, number])[] {
  const extent = descriptionOf(form?.name ?? '')?.extent ?? null;
  if (form === undefined || extent === null) return () => [];
  const factsOf = makePointFacts(form, {});
  const [spaceOf, startOf, sizeOf] = [compiled(extent.space), compiled(extent.start), compiled(extent.size)];
  const known = new WeakMap<Fields, readonly [string, number, number] | null>();
  const placeOf = (row: Fields): readonly [string, number, number] | null => {
    const facts = factsOf(row);
    const [space, start] = [spaceOf(facts), startOf(facts)];
    if (typeof start !== 'number' || !space || typeOf(row) === 'cal') return null;
    return [String(space), start, start + Number(sizeOf(facts))];
  };
  return (rows) => {
    const spans = new Map<string, Span[]>();
    rows.forEach((row, at) => {
      let place = known.get(row);
      if (place === undefined) known.set(row, (place = placeOf(row)));
      if (place === null) return;
      const [space, start, end] = place;
      const list = spans.get(space);
      if (list === undefined) spans.set(space, [[start, end, at]]);
      else list.push([start, end, at]);
    });
    return [...spans.values()].flatMap(shared);
  };
}

function shared(spans: Span[]): (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  spans.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
  let end = -1;
  let last: Span = [-1, -1, -1];
  for (const span of spans) {
    if (span[0] < end && (span[0] !== last[0] || span[1] !== last[1])) ranges.push([span[2], last[2]]);
    if (span[1] > end) [end, last] = [span[1], span];
  }
  return ranges;
}
