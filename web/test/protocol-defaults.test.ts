import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { ProtocolForm } from '@/api/generated/types.gen';
import { newLine, withValue } from '@/features/templates/model/lines';
import { optionsOf, withProtocolDefaults } from '@/features/templates/model/protocolDefaults';

const read = JSON.parse(
  readFileSync(new URL('../../cloud/cloud/domains/points/protocols.json', import.meta.url), 'utf8'),
) as Record<string, Omit<ProtocolForm, 'name'>>;
const forms: readonly ProtocolForm[] = Object.entries(read).map(([name, form]) => ({ name, ...form }));

it('a protocol that is chosen in a gateway template brings its framing, address, rack and slot', () => {
  const ports = [newLine({ name: 'com1', type: 'COM' }), newLine({ name: 'net1', type: 'NET' })];
  const bare = [newLine({ name: 'm1', port: 'com1' }), newLine({ name: 'p1', port: 'net1' })];
  const chosen = [withValue(bare[0]!, 'protocol', 'dlt645_2007'), withValue(bare[1]!, 'protocol', 's7')];
  const made = withProtocolDefaults(bare, chosen, ports, forms);
  expect(made.ports.map(({ fields }) => fields)).toEqual([
    { name: 'com1', type: 'COM', baud: 2400, parity: 'E', data_bits: 8, stop_bits: 1, capture_cycle_ms: 30_000 },
    { name: 'net1', type: 'NET', port: 102 },
  ]);
  expect(made.slaves.map(({ fields }) => fields.address)).toEqual(['AAAAAAAAAAAA', '1']);
  const model = [made.slaves[0]!, withValue(made.slaves[1]!, 'options.model', '1200')];
  expect(withProtocolDefaults(made.slaves, model, made.ports, forms).slaves[1]?.fields.options).toEqual({
    model: '1200',
    rack: 0,
    slot: 1,
  });
  expect(optionsOf(made.slaves, forms).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['statute', 'operator', 'model', 'rack']),
  );
});

it("what was entered stays, and a port of several is nobody's alone", () => {
  const ports = [newLine({ name: 'com1', type: 'COM', baud: 9600 })];
  const bare = [newLine({ name: 'm1', port: 'com1', address: '7' })];
  const one = withProtocolDefaults(bare, [withValue(bare[0]!, 'protocol', 'fx')], ports, forms);
  expect([one.ports[0]?.fields, one.slaves[0]?.fields.address]).toEqual([
    { name: 'com1', type: 'COM', baud: 9600, parity: 'E', data_bits: 7, stop_bits: 1 },
    '7',
  ]);
  const two = [...bare, newLine({ name: 'm2', port: 'com1' })];
  expect(withProtocolDefaults(two, [withValue(two[0]!, 'protocol', 'fx'), two[1]!], ports, forms).ports).toEqual(ports);
});
