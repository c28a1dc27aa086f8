import type { Area, ProtocolForm } from '@/api/generated/types.gen';
import type { Facts } from './conditions';
import type { Fields } from './point';

/** Fields of an address by their names in a protocol's form. */
export const ADDRESS_FIELDS: Readonly<Record<string, string>> = {
  reg_type: 'regtype',
  area: 'area',
  db: 'db_num',
  offset: 'addroffset',
  bit: 'bit_offset',
  byte: 'byte',
  length: 'regslength',
  endian: 'endian',
  text: 'text',
  item: 'item',
  di: 'di',
  decimals: 'item_decimals',
  signed: 'item_signed',
};

/** The editor's name of a field of an address: its path where the specification has none. */
export const addressField = (name: string): string => ADDRESS_FIELDS[name] ?? `address.${name}`;

const INTEGER_BITS: Readonly<Record<string, number>> = {
  uint8: 8,
  int8: 8,
  uint16: 16,
  int16: 16,
  uint32: 32,
  int32: 32,
  uint64: 64,
  int64: 64,
};
const FRACTION_BYTES: Readonly<Record<string, number>> = { float: 4, double: 8 };
const RADIX_DIGITS = '0123456789abcdef';

const has = (row: Fields, name: string): boolean => row[name] !== undefined && row[name] !== null;
const text = (row: Fields, name: string, fallback = ''): string =>
  typeof row[name] === 'string' ? row[name] : fallback;
const integer = (row: Fields, name: string): number | null =>
  Number.isInteger(row[name]) ? (row[name] as number) : null;

export const dataTypeOf = (row: Fields): string => text(row, 'data_type', 'uint16');
export const typeOf = (row: Fields): string => text(row, 'ds_type', 'num');

/** Memory areas of a slave's model. */
export function areasOf(form: ProtocolForm, model: string): Readonly<Record<string, Area>> {
  return form.areas[model] ?? form.areas[''] ?? {};
}

function optionFacts(form: ProtocolForm, options: Fields): Facts {
  return Object.fromEntries(
    form.options.map(({ name, default: preset }) => [
      `option.${name}`,
      options[name] === undefined ? (preset ?? null) : options[name],
    ]),
  );
}

/** Facts of a slave's address. */
export function slaveFacts(address: string, form: ProtocolForm, options: Fields): Facts {
  const station = /^\d{1,3}$/.test(address) ? Number(address) : null;
  return { address, station, ...optionFacts(form, options) };
}

/** Facts of the points of one slave, as the agent's description.py lists them. */
export function makePointFacts(form: ProtocolForm, options: Fields): (row: Fields) => Facts {
  const model = String(options.model ?? '');
  const areas = areasOf(form, model);
  const ofSlave = { protocol: form.name, model, areas: Object.keys(areas).join(', '), ...optionFacts(form, options) };
  const hasAreas = Object.keys(areas).length > 0;
  return (row) => {
    const type = dataTypeOf(row);
    const bits = INTEGER_BITS[type];
    const facts: Record<string, unknown> = {
      ...ofSlave,
      data_type: type,
      integer_bits: bits ?? null,
      unsigned: type.startsWith('u'),
      bytes: bits === undefined ? (FRACTION_BYTES[type] ?? 0) : bits / 8,
      writes: text(row, 'rw', 'readonly') !== 'readonly',
      pair: typeOf(row) === 'loc' && type !== 'string',
    };
    for (const { name, kind } of form.address) {
      const field = addressField(name);
      facts[`address.${name}`] = kind === 'integer' ? integer(row, field) : text(row, field);
      facts[`given.${name}`] = has(row, field);
    }
    if (hasAreas) addArea(facts, areas);
    const item = form.items[String(facts['address.item'] ?? '')];
    facts['item.known'] = item !== undefined;
    facts['item.writable'] = item?.writable === true;
    return facts;
  };
}

function addArea(facts: Record<string, unknown>, areas: Readonly<Record<string, Area>>): void {
  const name = String(facts['address.area']);
  const area = areas[name];
  facts['area.known'] = area !== undefined;
  if (area === undefined) return;
  const { radix, bits, unit = '', writable, ranges } = area;
  Object.assign(facts, { 'area.radix': radix, 'area.bits': bits, 'area.unit': unit, 'area.writable': writable });
  const offset = facts['address.offset'];
  if (radix === 0 || typeof offset !== 'number' || offset < 0) return;
  const fits = [...String(offset)].every((digit) => RADIX_DIGITS.slice(0, radix).includes(digit));
  const value = fits ? Number.parseInt(String(offset), radix) : -1;
  facts['area.fits'] = fits;
  facts['area.listed'] = ranges.some(([first, last]) => first <= value && value <= last);
  facts['area.ranges'] = ranges
    .map(([first, last]) => `${name}${first.toString(radix)}-${name}${last.toString(radix)}`)
    .join(', ');
}
