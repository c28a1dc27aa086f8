import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ProtocolForm } from '@/api/generated/types.gen';
import { gatewayToml } from '@/features/devices/gatewayFile';
import {
  duplicate,
  freeName,
  isHost,
  newSlave,
  planOf,
  readyName,
  readyValue,
  slaveFaults,
  withOption,
  without,
  withProtocol,
} from '@/features/devices/wizardSlaves';
import type { WizardSlave } from '@/features/devices/wizardSlaves';

/** As the cloud serves them: exported from the gateway's packages. */
const read = JSON.parse(
  readFileSync(new URL('../../cloud/cloud/domains/points/protocols.json', import.meta.url), 'utf8'),
) as Record<string, Omit<ProtocolForm, 'name'>>;
const forms: readonly ProtocolForm[] = Object.entries(read).map(([name, form]) => ({ name, ...form }));
const form = (name: string): ProtocolForm => forms.find((each) => each.name === name) as ProtocolForm;
const make = (...protocols: readonly string[]): readonly WizardSlave[] => {
  const slaves: WizardSlave[] = [];
  for (const name of protocols) slaves.push(newSlave(slaves, form(name), forms));
  return slaves;
};
const nothing = { ports: new Set<string>(), slaves: new Set<string>() };

describe('devices of the wizard', () => {
  it.each([
    ['modbus_tcp', { type: 'NET', number: 502 }, '1'],
    ['modbus_rtu', { type: 'COM', baud: '9600', parity: 'N', data_bits: '8', stop_bits: '1' }, '1'],
    ['modbus_rtu_tcp', { type: 'NET', number: '' }, '1'],
    ['dlt645_2007', { type: 'COM', baud: '2400', parity: 'E', data_bits: '8', stop_bits: '1' }, 'AAAAAAAAAAAA'],
    ['dlt645_1997', { type: 'COM', baud: '1200', parity: 'E', data_bits: '8', stop_bits: '1' }, 'AAAAAAAAAAAA'],
    ['ppi', { type: 'COM', baud: '9600', parity: 'E', data_bits: '8', stop_bits: '1' }, '2'],
    ['fx', { type: 'COM', baud: '9600', parity: 'E', data_bits: '7', stop_bits: '1' }, '0'],
    ['mc_1e', { type: 'NET', number: 5007 }, '0'],
    ['mc_3e', { type: 'NET', number: 5007 }, '0'],
    ['s7', { type: 'NET', number: 102 }, '1'],
  ])('begin as those of %s are delivered', (protocol, port, address) => {
    const [slave] = make(protocol);
    expect(slave).toMatchObject({ port, address, shares: null });
    const second = withProtocol(make('modbus_tcp'), make('modbus_tcp')[0] as WizardSlave, form(protocol), forms)[0];
    expect(second).toMatchObject({ port, address, protocol });
  });

  it('share a serial line where the protocol is the same, and have a port of their own where not', () => {
    const slaves = make('s7', 'dlt645_2007', 'dlt645_2007', 'modbus_rtu');
    expect(slaves.map(({ name, shares }) => [name, shares])).toEqual([
      ['plc1', null],
      ['meter1', null],
      ['meter2', 2],
      ['slave1', null],
    ]);
    expect(slaves.map(({ port }) => port.device)).toEqual(['/dev/ttyS1', '/dev/ttyS1', '/dev/ttyS2', '/dev/ttyS2']);
    expect(slaves[2]?.address).toBe('');
    expect(make('modbus_rtu', 'modbus_rtu').map(({ address }) => address)).toEqual(['1', '2']);
    expect(make('fx', 'fx').map(({ shares }) => shares)).toEqual([null, null]);
  });

  it('make ports and slaves under names that are free', () => {
    const [plc, meter, second] = make('s7', 'dlt645_2007', 'dlt645_2007') as [WizardSlave, WizardSlave, WizardSlave];
    const slaves = [
      withOption({ ...plc, port: { ...plc.port, host: ' 10.0.0.7 ' } }, form('s7'), 'model', '1200'),
      { ...meter, address: '202611210001' },
      { ...second, address: '202611210002' },
    ];
    expect(slaveFaults(slaves, forms)).toEqual({});
    const plan = planOf(slaves, forms, { ports: new Set(['net1']), slaves: new Set(['plc1']) });
    expect(plan.ports).toEqual([
      { name: 'net2', type: 'NET', ip: '10.0.0.7', port: 102 },
      {
        name: 'com1',
        type: 'COM',
        device: '/dev/ttyS1',
        baud: 2400,
        parity: 'E',
        data_bits: 8,
        stop_bits: 1,
        capture_cycle_ms: 30_000,
      },
    ]);
    expect(plan.slaves.map(({ body }) => body)).toEqual([
      { name: 'plc2', port: 'net2', protocol: 's7', address: '1', options: { model: '1200', rack: 0, slot: 1 } },
      { name: 'meter1', port: 'com1', protocol: 'dlt645_2007', address: '202611210001', options: undefined },
      { name: 'meter2', port: 'com1', protocol: 'dlt645_2007', address: '202611210002', options: undefined },
    ]);
  });

  it('get rack and slot with the model, and lose them with another', () => {
    const [plc] = make('s7') as [WizardSlave];
    const old = withOption(plc, form('s7'), 'model', '300');
    expect(old.options).toEqual({ model: '300', rack: '0', slot: '2' });
    expect(withOption(old, form('s7'), 'model', 'logo').options).toEqual({ model: 'logo' });
  });

  it('hand their port on when one goes, and are copied onto the same line', () => {
    const slaves = make('modbus_rtu', 'modbus_rtu', 'modbus_rtu');
    expect(without(slaves, 1).map(({ key, shares, port }) => [key, shares, port.device])).toEqual([
      [2, null, '/dev/ttyS1'],
      [3, 2, '/dev/ttyS2'],
    ]);
    const copied = duplicate(slaves, slaves[1] as WizardSlave, forms);
    expect(copied[3]).toMatchObject({ name: 'slave4', shares: 1, address: '4' });
    const plc = duplicate(make('s7'), make('s7')[0] as WizardSlave, forms)[1];
    expect(plc).toMatchObject({ name: 'plc2', shares: null, port: { host: '', number: 102 } });
  });

  it('say what is wrong, by place and field', () => {
    const [first, second] = make('modbus_rtu', 'modbus_rtu') as [WizardSlave, WizardSlave];
    expect(
      slaveFaults(
        [
          { ...first, name: 'a b' },
          { ...second, address: '1' },
        ],
        forms,
      ),
    ).toEqual({ '0.name': 'slave', '0.address': 'addressTwice', '1.address': 'addressTwice' });
    expect(slaveFaults([first, { ...second, shares: null, port: first.port }], forms)).toEqual({
      '0.port.device': 'deviceTwice',
      '1.port.device': 'deviceTwice',
    });
    expect(
      slaveFaults(
        [
          { ...first, name: 'x' },
          { ...second, name: 'x' },
        ],
        forms,
      ),
    ).toEqual({ '0.name': 'twice', '1.name': 'twice' });
    expect(slaveFaults(make('s7'), forms)).toEqual({ '0.port.host': 'host', '0.options.model': 'required' });
    const [meter] = make('dlt645_2007') as [WizardSlave];
    expect(slaveFaults([{ ...meter, address: '12', options: { password: '12', level: '10' } }], forms)).toEqual({
      '0.address': 'address',
      '0.options.password': 'option',
      '0.options.level': 'option',
    });
    expect(slaveFaults(make('modbus_rtu_tcp'), forms)).toEqual({ '0.port.host': 'host', '0.port.number': 'port' });
  });

  it('know the ready templates by their name', () => {
    expect([readyName({ value: readyValue('s7_1200'), label: '' }), readyName({ value: '12', label: '' })]).toEqual([
      's7_1200',
      null,
    ]);
    expect([
      freeName('plc', new Set()),
      freeName('plc', new Set(['plc'])),
      freeName('a'.repeat(64), new Set(['a'.repeat(64)])).length,
    ]).toEqual(['plc', 'plc2', 64]);
    expect(planOf([], forms, nothing)).toEqual({ ports: [], slaves: [] });
  });
});

it('the ready file quotes what is entered', () => {
  const words = { head: 'h', secret: 's', ca: 'c' };
  expect(gatewayToml('gw-1', 'Pump "1" \\ 泵', 'mqtts://c.example:8883', words)).toBe(
    '# h\n# s\n[gateway]\nid = "gw-1"\ntitle = "Pump \\"1\\" \\\\ 泵"\n\n[cloud]\nurl = "mqtts://c.example:8883"\n# ca_file = "/etc/edge-agent/ca.pem"   # c\n',
  );
  expect(gatewayToml('gw-1', '', 'mqtt://127.0.0.1:1883', words)).not.toContain('ca_file');
});

it.each([
  ['127.0.0.1; rm -rf', false],
  ['a\u0000b', false],
  ['a\n', false],
  ['a'.repeat(64), false],
  ['a..b', false],
  ['.', false],
  ['http://a', false],
  ['me@a', false],
  ['[::1]', false],
  ['a.'.repeat(127), false],
  ['192.0.2.1', true],
  ['plc-1.plant.example.', true],
  ['2001:db8::1', true],
  ['fe80::1%eth0', true],
  ['plc_1', true],
  ['控制柜', true],
])('takes %j as a host as the gateway does: %s', (host, isGood) => {
  expect(isHost(host)).toBe(isGood);
  const [slave] = make('modbus_tcp') as [WizardSlave];
  expect(slaveFaults([{ ...slave, port: { ...slave.port, host } }], forms)['0.port.host']).toBe(
    isGood || host.trim() === 'a' ? undefined : 'hostText',
  );
});
