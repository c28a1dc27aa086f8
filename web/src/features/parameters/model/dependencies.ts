import { addressOf, hostRule, isHost, networkOf, prefixOf } from './addresses';
import type { Fault, Group, Row } from './schema';

/**
 * What fields of a group say of each other, in the words of the contract (edge_contract/parameters). The rules are held to
 * it by test/parameter-cases.json, which scripts/generate writes from the contract.
 */

const SAVING_S = 60;
const SHORTEST_RTD_S = 30;
const MAX_SSID_BYTES = 32;

type Values = Readonly<Record<string, unknown>>;
const writes = ({ variables }: Values): boolean =>
  (variables as readonly Row[]).some((variable) => variable.write === true);
const before2025 = ({ version }: Values): boolean => version !== '2025';
const isDhcp = ({ mode }: Values): boolean => mode === 'dhcp';
const isAnonymous = ({ authentication }: Values): boolean => authentication === 'none';
const isModbus = ({ message }: Values): boolean => message === 'modbus';
const isCustom = ({ message }: Values): boolean => message === 'custom';

interface Unused {
  field: string;
  when: (row: Values) => boolean;
  rule: string;
}
const OF_DHCP = 'must be left out for mode dhcp';
const OF_ANONYMOUS = 'must be left out without authentication';
const OF_MODBUS = 'must not be given for a message of type modbus';
const OF_CUSTOM = 'must not be given for a message of type custom';

/** Fields that have no use while others are as they are; the order is that in which they fall away. */
const UNUSED: Readonly<Record<string, readonly Unused[]>> = {
  registration: [
    { field: 'content', when: ({ format }) => format === 'gateway_id', rule: 'must be empty for format gateway_id' },
  ],
  history: [
    {
      field: 'path',
      when: ({ type, medium }) => type !== 'disk' || medium !== 'external',
      rule: 'must be empty unless type is disk and medium is external',
    },
  ],
  hj212: [
    { field: 'heartbeat_s', when: before2025, rule: 'must be 0 for a version before 2025' },
    { field: 'cipher', when: before2025, rule: 'must be left out for a version before 2025' },
  ],
  mqtt: [
    { field: 'ca_file', when: ({ tls }) => tls === 'none', rule: 'must not be given without TLS' },
    { field: 'down_topic', when: (row) => !writes(row), rule: 'must be empty unless a variable has write = true' },
    { field: 'result_topic', when: ({ down_topic: topic }) => !topic, rule: 'must be empty without down_topic' },
  ],
  loop_write: [
    { field: 'checksum', when: isModbus, rule: OF_MODBUS },
    { field: 'expect', when: isModbus, rule: OF_MODBUS },
    { field: 'reg_type', when: isCustom, rule: OF_CUSTOM },
    { field: 'offset', when: isCustom, rule: OF_CUSTOM },
  ],
  network: ['address', 'netmask', 'gateway', 'dns'].map((field) => ({ field, when: isDhcp, rule: OF_DHCP })),
  mobile: [
    { field: 'routing', when: ({ enable }) => enable === false, rule: 'needs enable' },
    { field: 'username', when: isAnonymous, rule: OF_ANONYMOUS },
    { field: 'password', when: isAnonymous, rule: OF_ANONYMOUS },
  ],
};

/** What a field that is left out counts as. */
const defaultOf = ({ fields }: Group, name: string): unknown => fields.find((field) => field.name === name)?.default;

function complete({ fields }: Group, row: Row): Values {
  const defaults = fields.filter((field) => field.default !== undefined).map((field) => [field.name, field.default]);
  return { ...(Object.fromEntries(defaults) as Row), ...row };
}

/** Fields of a row that are not used, each with the rule that says why. */
export function unusedFields(group: Group, row: Row): ReadonlyMap<string, string> {
  const values = { ...complete(group, row) };
  const unused = new Map<string, string>();
  for (const { field, when: isUnused, rule } of UNUSED[group.name] ?? []) {
    if (!isUnused(values)) continue;
    unused.set(field, rule);
    values[field] = defaultOf(group, field);
  }
  return unused;
}

/** Faults between the fields of one row, whose values are good each by itself. */
export function dependencyFaults(group: Group, row: Row): Fault[] {
  const values = complete(group, row);
  const isDefault = (field: string): boolean =>
    JSON.stringify(values[field]) === JSON.stringify(defaultOf(group, field));
  const unused = (UNUSED[group.name] ?? []).flatMap(({ field, when: isUnused, rule }) =>
    isUnused(values) && !isDefault(field) ? [{ field, rule }] : [],
  );
  const broken = Object.entries(RULES[group.name]?.(values) ?? {}).flatMap(([field, rule]) =>
    rule === null ? [] : [{ field, rule }],
  );
  return [...unused, ...broken, ...(ENTRIES[group.name]?.(values) ?? [])];
}

type Rules = Readonly<Record<string, string | null>>;
const when = (isBroken: unknown, rule: string): string | null => (isBroken ? rule : null);
const packetRule = (content: unknown, format: unknown): string | null =>
  when(
    format === 'hex' && !/^(\s*[0-9A-Fa-f]{2})*\s*$/.test(String(content)),
    'must be pairs of hexadecimal digits, such as 01 A0',
  );

/** Rules between fields, by the field at which they stand. */
const RULES: Readonly<Record<string, (row: Values) => Rules>> = {
  run: ({ power, report_interval_s: interval }) => ({
    report_interval_s: when(
      power === 'saving' && Number(interval) < SAVING_S,
      `must be at least ${SAVING_S} with power saving`,
    ),
  }),
  uart: ({ device }) => ({
    device: when(device === '' || String(device).includes('\0'), 'must be given for a COM port, such as /dev/ttyS1'),
  }),
  channels: ({ server, heartbeat, heartbeat_format: format, heartbeat_interval_s: interval }) => ({
    server: hostRule(String(server)),
    heartbeat:
      when(interval !== 0 && heartbeat === '', 'must be given unless heartbeat_interval_s is 0') ??
      packetRule(heartbeat, format),
  }),
  registration: ({ format, content }) => ({
    content:
      format === 'gateway_id'
        ? null
        : (when(content === '', `must be given for format ${String(format)}`) ?? packetRule(content, format)),
  }),
  internal_slave: ({ tcp, device }) => ({
    tcp: when(tcp === false && device === '', 'must be true, or device be given'),
  }),
  hj212: (row) => ({
    rtd_interval_s: when(
      Number(row.rtd_interval_s) > 0 && Number(row.rtd_interval_s) < SHORTEST_RTD_S,
      `must be 0 or ${SHORTEST_RTD_S} to 3600 s`,
    ),
    random_min_ms: when(Number(row.random_min_ms) > Number(row.random_max_ms), 'must be at most random_max_ms'),
    supplementary: when(row.supplementary === true && row.random_max_ms === 0, 'needs random_max_ms above 0'),
    supplementary_rtd: when(row.supplementary_rtd === true && row.supplementary === false, 'needs supplementary'),
  }),
  mqtt: (row) => ({
    down_topic: when(writes(row) && row.down_topic === '', 'must be given, a variable has write = true'),
  }),
  history: ({ type, medium, path }) => ({
    path: when(
      type === 'disk' && medium === 'external' && !String(path).startsWith('/'),
      'must be the absolute path at which the external medium is mounted',
    ),
  }),
  loop_write: ({ message, offset, data_type: type, content, value }) => ({
    offset: when(message === 'modbus' && offset === null, 'must be given for a message of type modbus'),
    data_type: when(
      message === 'modbus' && (type === 'uint8' || type === 'int8'),
      `must fill whole registers, ${String(type)} does not`,
    ),
    value: when(content !== 'real_time' && value === null, `must be given for content ${String(content)}`),
  }),
  network: (row) => (row.mode === 'dhcp' ? {} : networkRules(row)),
  mobile: ({ authentication, username }) => ({
    username: when(
      authentication !== 'none' && username === '',
      `must be given for authentication ${String(authentication)}`,
    ),
  }),
  hotspot: ({ enable, ssid, password }) => ({
    ssid:
      when(
        new TextEncoder().encode(String(ssid)).length > MAX_SSID_BYTES,
        `must have at most ${MAX_SSID_BYTES} bytes in UTF-8`,
      ) ?? when(enable === true && ssid === '', 'must be given for a hotspot that is enabled'),
    password: when(enable === true && password === '', 'must be given for a hotspot that is enabled'),
  }),
};

function networkRules(row: Values): Rules {
  const [address, gateway] = [addressOf(String(row.address)), addressOf(String(row.gateway))];
  const prefix = prefixOf(String(row.netmask));
  const NO_ADDRESS = 'must be an IPv4 address, such as 192.168.1.10';
  const rules: Record<string, string | null> = {
    address: when(address === null, NO_ADDRESS),
    gateway: when(row.gateway !== '' && gateway === null, NO_ADDRESS),
    netmask: when(prefix === null, 'must be a netmask from 128.0.0.0 to 255.255.255.252'),
  };
  if (address === null || prefix === null) return rules;
  const [first, last] = networkOf(address, prefix);
  if (address === first || address === last || !isHost(address))
    rules.address = 'must be that of a host, not of a network, broadcast or loopback';
  if (gateway !== null && (gateway < first || gateway > last || gateway === address))
    rules.gateway = 'must be another address in the network of address and netmask';
  return rules;
}

/** Rules of the entries of lists, each at its place. */
const ENTRIES: Readonly<Record<string, (row: Values) => Fault[]>> = {
  hj212: ({ mapping }) => {
    const seen = new Set<string>();
    return (mapping as readonly Row[]).flatMap((entry, at) => {
      const key = JSON.stringify([entry.factor, entry.converted ?? false]);
      const isTwice = seen.has(key);
      seen.add(key);
      const types = (entry.types as readonly string[] | undefined) ?? ['rtd', 'avg'];
      const units = (entry.units as readonly string[] | undefined) ?? ['m'];
      const named = `must be named once; ${String(entry.factor)} is there already`;
      return [
        ...(isTwice ? [{ field: `mapping[${at}].factor`, rule: named }] : []),
        ...(types.some((type) => type !== 'rtd') && units.length === 0
          ? [{ field: `mapping[${at}].units`, rule: 'must name m, h or d for types beside rtd' }]
          : []),
      ];
    });
  },
  mqtt: ({ variables }) => {
    const seen = new Set<unknown>();
    return (variables as readonly Row[]).flatMap(({ point }, at) => {
      const isTwice = seen.has(point);
      seen.add(point);
      const rule = `must be unique, ${String(point)} stands there twice`;
      return isTwice ? [{ field: `variables[${at}].point`, rule }] : [];
    });
  },
  network: ({ mode, dns }) =>
    mode === 'dhcp'
      ? []
      : (dns as readonly string[]).flatMap((text, at) =>
          addressOf(text) === null ? [{ field: `dns[${at}]`, rule: 'must be an IPv4 address' }] : [],
        ),
};

/** Faults between rows, which are good each by itself. */
export function rowsFaults(group: string, rows: readonly Row[]): Fault[] {
  if (group !== 'uart') return [];
  const first = new Map<unknown, unknown>();
  return rows.flatMap(({ enable, device, name }, at) => {
    if (enable === false) return [];
    const other = first.get(device);
    if (other === undefined) first.set(device, name);
    return other === undefined || other === name
      ? []
      : [{ field: `[${at}].device`, rule: `must not be the device of ${String(other)} too` }];
  });
}

/** Is what is typed into a field of any kind a number in this row? */
export const isNumeric = (group: string, row: Row): boolean => group === 'loop_write' && row.content === 'number';
