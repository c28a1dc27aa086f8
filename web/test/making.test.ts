import i18next from 'i18next';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '@/api/errors';
import type { PortBody, SlaveBody } from '@/api/generated/types.gen';
import * as api from '@/features/devices/api';
import { makeRemaining } from '@/features/devices/making';
import { storedRemaining, NOTHING_REMAINS, tasksOf } from '@/features/devices/remaining';
import type { Remaining } from '@/features/devices/remaining';

vi.mock('@/features/devices/api');

const ID = 7;
const away = (): ApiError => new ApiError({ cause: 'network' });
const template = { value: '3', label: 'Meters' };
const points = { value: '5', label: 'Boiler', note: 'modbus_tcp' };
const port: PortBody = { name: 'net1', type: 'NET', ip: '10.0.0.7', port: 502 };
const slave = (name: string): SlaveBody & { name: string } => ({
  name,
  port: 'net1',
  protocol: 'modbus_tcp',
  address: name === 'plc1' ? '1' : '2',
});
const plan = {
  ports: [port],
  slaves: [
    { body: slave('plc1'), template: points },
    { body: slave('plc2'), template: null },
  ],
};
const all = (): Remaining => ({ ...NOTHING_REMAINS, missing: tasksOf(template, plan, 'secret1') });

let ports: Map<string, Record<string, unknown>>;
let slaves: Map<string, { fields: Record<string, unknown>; points: number }>;
let done: string[];
/** Calls that get no answer. before: and do not come to the cloud. */
let fails: Map<string, 'before' | 'after'>;

const act = async (what: string, work: () => void): Promise<void> => {
  const fail = fails.get(what);
  if (fail === 'before') throw away();
  done.push(what);
  work();
  if (fail === 'after') throw away();
};

beforeAll(() => void i18next.init({ lng: 'en', resources: {} }));

beforeEach(() => {
  [ports, slaves, done, fails] = [new Map(), new Map(), [], new Map()];
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  });
  vi.mocked(api.draftRows).mockImplementation(async () => {
    if (fails.has('rows')) throw away();
    return { ports: new Map(ports), slaves: new Map(slaves) };
  });
  vi.mocked(api.addPort).mockImplementation((_, body) =>
    act(`port ${body.name}`, () => void ports.set(body.name ?? '', { ...body })),
  );
  vi.mocked(api.addSlave).mockImplementation((_, body) =>
    act(`slave ${body.name}`, () => void slaves.set(body.name ?? '', { fields: { ...body }, points: 0 })),
  );
  vi.mocked(api.putGatewayTemplate).mockImplementation(() =>
    act('template', () => void ports.set('net1', { name: 'net1', type: 'NET', ip: '10.0.0.1', port: 502 })),
  );
  vi.mocked(api.putPointTemplate).mockImplementation((_, name) =>
    act(`points ${name}`, () => void slaves.set(name, { fields: slaves.get(name)?.fields ?? {}, points: 4 })),
  );
  vi.mocked(api.putAccessPassword).mockImplementation(() => act('password', () => undefined));
});

afterEach(() => void vi.unstubAllGlobals());

const named = ({ missing }: Remaining): readonly string[] => missing.map(({ part, name }) => `${part} ${name}`.trim());

it('makes everything, under names that the template has left free', async () => {
  const after = await makeRemaining(ID, all());
  expect(done).toEqual(['template', 'port net2', 'slave plc1', 'points plc1', 'slave plc2', 'password']);
  expect(after).toEqual({ missing: [], isNamed: true, bare: ['plc2'] });
  expect(slaves.get('plc1')?.fields.port).toBe('net2');
});

it.each(['rows', 'port net2', 'slave plc1', 'points plc1', 'slave plc2', 'password'])(
  'says by name what is missing without %s, and then makes that alone',
  async (what) => {
    for (const when of ['before', 'after'] as const) {
      [ports, slaves, done, fails] = [new Map(), new Map(), [], new Map([[what, when]])];
      // oxlint-disable-next-line no-await-in-loop
      const lacking = await makeRemaining(ID, all());
      expect(lacking.missing.length).toBeGreaterThan(0);
      expect(named(lacking)).toEqual(
        ['port net2', 'slave plc1', 'points plc1', 'slave plc2', 'password']
          .slice(-lacking.missing.length)
          .map((each) => (what === 'rows' ? each.replace('net2', 'net1') : each)),
      );
      expect(new Set(lacking.missing.map(({ why }) => why)).has('')).toBe(false);
      fails.clear();
      // oxlint-disable-next-line no-await-in-loop
      const after = await makeRemaining(ID, lacking);
      expect(after).toEqual({ missing: [], isNamed: true, bare: ['plc2'] });
      expect(done.filter((each) => each !== 'password')).toEqual([
        'template',
        'port net2',
        'slave plc1',
        'points plc1',
        'slave plc2',
      ]);
    }
  },
);

it('leaves what needs a port that was refused, and makes the rest', async () => {
  vi.mocked(api.addPort).mockRejectedValueOnce(new ApiError({ code: 20_000, msg: 'refused' }));
  expect(named(await makeRemaining(ID, all()))).toEqual(['port net2', 'slave plc1', 'points plc1', 'slave plc2']);
  expect(done).toEqual(['template', 'password']);
});

it('keeps over a reload what is missing and which slaves have no points, without passwords', async () => {
  fails.set('slave plc1', 'before');
  const meter = { body: { ...slave('plc1'), options: { password: '123456', address_width: 1 } }, template: points };
  const lacking = await makeRemaining(ID, {
    missing: tasksOf(null, { ...plan, slaves: [meter, ...plan.slaves.slice(1)] }, 'secret1'),
    isNamed: false,
    bare: ['meter1'],
  });
  expect(lacking.missing[0]).toMatchObject({ body: { options: { password: '123456' } } });
  const kept = storedRemaining(sessionStorage, ID);
  expect(JSON.stringify(kept)).not.toMatch(/123456|secret1/);
  expect(kept.bare).toEqual(['meter1']);
  expect(storedRemaining(sessionStorage, ID + 1)).toEqual(NOTHING_REMAINS);
  fails.clear();
  const after = await makeRemaining(ID, kept);
  expect(done).toEqual(['port net1', 'slave plc1', 'points plc1', 'slave plc2']);
  expect([named(after), after.bare]).toEqual([
    ['secret plc1', 'password'],
    ['meter1', 'plc2'],
  ]);
});
