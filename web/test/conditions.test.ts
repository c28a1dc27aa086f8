import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ProtocolForm } from '@/api/generated/types.gen';
import { compiled, makeCheck } from '@/blocks/points/conditions';
import type { Condition, Facts } from '@/blocks/points/conditions';
import { slaveFacts } from '@/blocks/points/facts';
import { descriptionOf } from '@/blocks/points/protocols';

const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../cloud/${path}`, import.meta.url), 'utf8'));

interface Case {
  name: string;
  condition: Condition;
  facts: Facts;
  value: unknown;
}

interface Place {
  name: string;
  protocol: string;
  port: Record<string, unknown>;
  address: string;
  options: Record<string, unknown>;
  faults: [string, string, string][];
}

// The cloud evaluates by the same tables (cloud/tests/domains/points/test_conditions.py).
test.each(read('tests/domains/points/conditions.json') as Case[])('$name', ({ condition, facts, value }) => {
  expect(compiled(condition)(facts)).toEqual(value);
});

test('an unknown operator is refused', () => {
  expect(() => compiled({ and: [true, { xor: [1, 2] }] })).toThrow("'xor' is no operator");
});

const FORMS = read('cloud/domains/points/protocols.json') as Record<string, Omit<ProtocolForm, 'name'>>;
test.each(read('tests/domains/points/places.json') as Place[])('$protocol $name', (each) => {
  const { protocol: name, port, address, options, faults } = each;
  const form = { name, ...FORMS[name] } as ProtocolForm;
  const facts = {
    ...slaveFacts(address, form, options),
    'port.type': port.type,
    'port.min_interval_ms': port.min_interval_ms,
  };
  const own = descriptionOf(name);
  const found = [own?.port_checks, own?.address_checks, own?.slave_checks].flatMap((checks) =>
    makeCheck(checks ?? [])(facts),
  );
  expect(found.map(({ field, code, level }) => [field, code, level])).toEqual(faults);
});
