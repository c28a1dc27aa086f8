import type { FormField, PortBody, ProtocolForm, SlaveBody } from '@/api/generated/types.gen';
import type { Choice } from '@/components/AsyncPicker';
import { isMatch } from '@/blocks/points/conditions';
import { descriptionOf, STEMS } from '@/blocks/points/protocols';

/** How a port is reached. Choices and what is typed are texts. */
export interface WizardPort {
  type: 'NET' | 'COM';
  host: string;
  number: number | string;
  device: string;
  baud: string;
  parity: string;
  data_bits: string;
  stop_bits: string;
}

/** A device behind the gateway. template: of the user, or a ready one; shares: key of the device on whose port it is, null for a port of its own. */
export interface WizardSlave {
  key: number;
  name: string;
  protocol: string;
  template: Choice | null;
  address: string;
  options: Readonly<Record<string, string | boolean>>;
  shares: number | null;
  port: WizardPort;
}

export type Forms = readonly ProtocolForm[];
export type SlaveField = 'name' | 'address' | 'shares' | `port.${keyof WizardPort}` | `options.${string}`;
export type SlaveFault =
  | 'slave'
  | 'twice'
  | 'address'
  | 'addressTwice'
  | 'host'
  | 'hostText'
  | 'port'
  | 'device'
  | 'deviceTwice'
  | 'required'
  | 'option';

export const BAUDS = ['1200', '2400', '4800', '9600', '19200', '38400', '57600', '115200'] as const;
export const PARITIES = ['N', 'O', 'E'] as const;
/** As many as one can look over; more come by import. */
export const MAX_SLAVES = 32;
const FIRST_DEVICE = '/dev/ttyS1';
const READY = 'ready:';
const LONGEST_NAME = 64;

export const formOf = (forms: Forms, protocol: string): ProtocolForm | undefined =>
  forms.find(({ name }) => name === protocol);
export const readyValue = (name: string): string => READY + name;
/** Name of a ready template; null for one of the user's. */
export const readyName = ({ value }: Choice): string | null =>
  value.startsWith(READY) ? value.slice(READY.length) : null;

/** The name itself, or the next number after it that is free. */
export function freeName(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  const stem = wanted.replace(/\d+$/, '');
  for (let number = 2; ; number += 1) {
    const name = `${stem.slice(0, LONGEST_NAME - String(number).length)}${number}`;
    if (!taken.has(name)) return name;
  }
}

/** meter1, plc1, slave1: what such a device is called. */
const stemOf = ({ name }: ProtocolForm): string => descriptionOf(name)?.stem ?? 'slave';

function isStemmed(name: string): boolean {
  return STEMS.has(name.replace(/\d+$/, '')) && /\d$/.test(name);
}

/** A port as devices of the protocol are delivered, on a serial device that no other has. */
function usualPort(
  { port_types, connection }: ProtocolForm,
  others: readonly WizardSlave[],
  type?: WizardPort['type'],
): WizardPort {
  const { serial, tcp_port } = connection;
  const used = new Set(
    others.filter((each) => each.shares === null && each.port.type === 'COM').map(({ port }) => port.device),
  );
  return {
    type: type ?? (port_types.includes('COM') ? 'COM' : 'NET'),
    host: '',
    number: tcp_port ?? '',
    device: freeName(FIRST_DEVICE, used),
    baud: String(serial?.baud ?? 9600),
    parity: serial?.parity ?? 'N',
    data_bits: String(serial?.data_bits ?? 8),
    stop_bits: String(serial?.stop_bits ?? 1),
  };
}

/** Devices with a port of their own on which one of this protocol may be too: a port speaks one protocol. */
export function sharable(
  slaves: readonly WizardSlave[],
  { key, protocol }: WizardSlave,
  forms: Forms,
): readonly WizardSlave[] {
  if (formOf(forms, protocol)?.connection.multidrop !== true) return [];
  return slaves.filter((each) => each.key !== key && each.shares === null && each.protocol === protocol);
}

/** The protocol's own settings; on a serial line beside the others of the protocol. */
function settled(slave: WizardSlave, form: ProtocolForm, others: readonly WizardSlave[], forms: Forms): WizardSlave {
  const made: WizardSlave = {
    ...slave,
    protocol: form.name,
    address: form.connection.address,
    options: {},
    shares: null,
    port: usualPort(form, others),
  };
  const host =
    made.port.type === 'COM' ? sharable(others, made, forms).find(({ port }) => port.type === 'COM') : undefined;
  return host === undefined ? made : { ...made, shares: host.key, address: freeAddress(made, host.key, others) };
}

/** The next number on the port where addresses are plain numbers; nothing where a meter's number must be read off. */
function freeAddress({ address }: WizardSlave, on: number, others: readonly WizardSlave[]): string {
  const used = new Set(others.filter(({ key, shares }) => key === on || shares === on).map((each) => each.address));
  if (!used.has(address)) return address;
  if (!/^\d{1,3}$/.test(address)) return '';
  let next = Number(address);
  while (used.has(String(next))) next += 1;
  return String(next);
}

export function newSlave(slaves: readonly WizardSlave[], form: ProtocolForm, forms: Forms): WizardSlave {
  const key = 1 + Math.max(0, ...slaves.map((each) => each.key));
  const name = freeName(`${stemOf(form)}1`, new Set(slaves.map((each) => each.name)));
  const bare: WizardSlave = {
    key,
    name,
    protocol: '',
    template: null,
    address: '',
    options: {},
    shares: null,
    port: usualPort(form, slaves),
  };
  return settled(bare, form, slaves, forms);
}

/** Another protocol, with its own settings; a template of another one goes. */
export function withProtocol(
  slaves: readonly WizardSlave[],
  slave: WizardSlave,
  form: ProtocolForm,
  forms: Forms,
): readonly WizardSlave[] {
  const others = without(slaves, slave.key);
  const isNamed = isStemmed(slave.name);
  const name = isNamed ? freeName(`${stemOf(form)}1`, new Set(others.map((each) => each.name))) : slave.name;
  const template = slave.template?.note === form.name ? slave.template : null;
  const changed = settled({ ...slave, name, template }, form, others, forms);
  return slaves.map((each) =>
    each.key === slave.key ? changed : (others.find(({ key }) => key === each.key) ?? each),
  );
}

/** A choice, and what follows from it: rack and slot of a PLC's model. */
export function withOption(slave: WizardSlave, form: ProtocolForm, name: string, value: string | boolean): WizardSlave {
  const follow = form.connection.choices?.[name] ?? {};
  const stale = new Set(Object.values(follow).flatMap((each) => Object.keys(each)));
  const retained = Object.entries(slave.options).filter(([each]) => !stale.has(each));
  const made = Object.entries(follow[String(value)] ?? {}).map(
    ([each, said]) => [each, typeof said === 'boolean' ? said : String(said)] as const,
  );
  return { ...slave, options: { ...Object.fromEntries(retained), ...Object.fromEntries(made), [name]: value } };
}

/** Without one; the first that shared its port has it then. */
export function without(slaves: readonly WizardSlave[], key: number): readonly WizardSlave[] {
  const gone = slaves.find((each) => each.key === key);
  const heir = slaves.find(({ shares }) => shares === key);
  return slaves
    .filter((each) => each.key !== key)
    .map((each) => {
      if (each.shares !== key || gone === undefined || heir === undefined) return each;
      return each === heir
        ? { ...each, shares: gone.shares, port: gone.port }
        : { ...each, shares: gone.shares ?? heir.key };
    });
}

/** Another one like it: on the same port where that takes several, else on one of its own. */
export function duplicate(slaves: readonly WizardSlave[], slave: WizardSlave, forms: Forms): readonly WizardSlave[] {
  const form = formOf(forms, slave.protocol);
  if (form === undefined) return slaves;
  const fresh = newSlave(slaves, form, forms);
  const on = slave.shares ?? slave.key;
  const shares = form.connection.multidrop ? on : null;
  const port = slave.port.type === 'COM' ? { ...slave.port, device: fresh.port.device } : { ...slave.port, host: '' };
  const copy: WizardSlave = {
    ...slave,
    key: fresh.key,
    name: freeName(slave.name, new Set(slaves.map(({ name }) => name))),
    shares,
    port,
  };
  return [...slaves, shares === null ? copy : { ...copy, address: freeAddress(copy, on, slaves) }];
}

/** Whose port a device is on. */
export function hostOf(slaves: readonly WizardSlave[], slave: WizardSlave): WizardSlave {
  return slaves.find(({ key }) => key === slave.shares) ?? slave;
}

const INTEGER = /^\d+$/;
const ANY_NUMBER = '[0-9]+';

function optionFault(field: FormField, value: string | boolean | undefined): SlaveFault | null {
  if (value === undefined || value === '') return field.required ? 'required' : null;
  if (field.kind === 'integer') {
    const number = Number(value);
    if (!INTEGER.test(String(value)) || number < (field.min ?? number) || number > (field.max ?? number))
      return 'option';
  }
  return typeof value === 'string' && field.pattern != null && !new RegExp(field.pattern).test(value) ? 'option' : null;
}

const LONGEST_HOST = 253;
const LONGEST_LABEL = 63;
/** Blanks, control and format characters, and what makes a URL. */
const NO_HOST = /[\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Co}/\\@?#[\]]/u;

/** A host name or address alone, by the gateway's own rule; labels beyond ASCII are left to the cloud. */
export function isHost(host: string): boolean {
  if (host.length < 1 || host.length > LONGEST_HOST || NO_HOST.test(host)) return false;
  if (/\P{ASCII}/u.test(host)) return true;
  const labels = host.split('.');
  return labels.every((label, at) => label.length <= LONGEST_LABEL && (label !== '' || at === labels.length - 1));
}

function portFaults({ port }: WizardSlave, devices: readonly string[]): Partial<Record<SlaveField, SlaveFault>> {
  const faults: Partial<Record<SlaveField, SlaveFault>> = {};
  if (port.type === 'COM') {
    const device = port.device.trim();
    if (device === '') faults['port.device'] = 'device';
    else if (devices.filter((each) => each === device).length > 1) faults['port.device'] = 'deviceTwice';
    return faults;
  }
  const number = Number(port.number);
  if (port.host.trim() === '') faults['port.host'] = 'host';
  else if (!isHost(port.host.trim())) faults['port.host'] = 'hostText';
  if (!Number.isInteger(number) || number < 1 || number > 65_535) faults['port.number'] = 'port';
  return faults;
}

/** What is wrong, by place in the list and field: "0.port.host". */
export function slaveFaults(slaves: readonly WizardSlave[], forms: Forms): Readonly<Record<string, SlaveFault>> {
  const result: Record<string, SlaveFault> = {};
  const devices = slaves
    .filter(({ shares, port }) => shares === null && port.type === 'COM')
    .map(({ port }) => port.device.trim());
  slaves.forEach((slave, at) => {
    const form = formOf(forms, slave.protocol);
    const address = slave.address.trim();
    const faults: Partial<Record<SlaveField, SlaveFault>> = slave.shares === null ? portFaults(slave, devices) : {};
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(slave.name)) faults.name = 'slave';
    else if (slaves.some((each) => each !== slave && each.name === slave.name)) faults.name = 'twice';
    const pattern = descriptionOf(slave.protocol)?.slave_address.pattern ?? ANY_NUMBER;
    if (!isMatch(address, pattern)) faults.address = 'address';
    else if (
      slaves.some(
        (each) => each !== slave && hostOf(slaves, each) === hostOf(slaves, slave) && each.address.trim() === address,
      )
    )
      faults.address = 'addressTwice';
    for (const field of form?.options ?? []) {
      const fault = optionFault(field, slave.options[field.name]);
      if (fault !== null) faults[`options.${field.name}`] = fault;
    }
    for (const [field, fault] of Object.entries(faults)) if (fault !== undefined) result[`${at}.${field}`] = fault;
  });
  return result;
}

/** Names that the gateway's draft has already. */
export type Taken = Readonly<Record<'ports' | 'slaves', ReadonlySet<string>>>;

export interface Plan {
  ports: readonly PortBody[];
  slaves: readonly { body: SlaveBody & { name: string }; template: Choice | null }[];
}

/** What a document need not say. */
const USUAL_CYCLE_MS = 1000;

function portBody(
  name: string,
  { type, host, number, device, baud, parity, data_bits, stop_bits }: WizardPort,
  cycle_ms: number,
): PortBody {
  const cycle = cycle_ms === USUAL_CYCLE_MS ? {} : { capture_cycle_ms: cycle_ms };
  if (type === 'NET') return { name, type, ip: host.trim(), port: Number(number), ...cycle };
  const framing = { parity, data_bits: Number(data_bits), stop_bits: Number(stop_bits) } as Pick<
    PortBody,
    'parity' | 'data_bits' | 'stop_bits'
  >;
  return { name, type, device: device.trim(), baud: Number(baud), ...framing, ...cycle };
}

/** Options as the document has them: numbers where the protocol says so, nothing for what is empty. */
function optionsOf({ options }: WizardSlave, form: ProtocolForm | undefined): SlaveBody['options'] {
  const kinds = new Map(form?.options.map(({ name, kind }) => [name, kind]));
  const said = Object.entries(options).filter(([name, value]) => kinds.has(name) && value !== '');
  return said.length === 0
    ? undefined
    : Object.fromEntries(said.map(([name, value]) => [name, kinds.get(name) === 'integer' ? Number(value) : value]));
}

/** Ports and slaves under names that are free. */
export function planOf(slaves: readonly WizardSlave[], forms: Forms, taken: Taken): Plan {
  const [ports, names] = [new Set(taken.ports), new Set(taken.slaves)];
  const named = new Map<number, string>();
  const made: PortBody[] = [];
  for (const { key, shares, port, protocol } of slaves) {
    if (shares !== null) continue;
    const name = freeName(port.type === 'COM' ? 'com1' : 'net1', ports);
    ports.add(name);
    named.set(key, name);
    made.push(portBody(name, port, formOf(forms, protocol)?.connection.capture_cycle_ms ?? USUAL_CYCLE_MS));
  }
  return {
    ports: made,
    slaves: slaves.map((slave) => {
      const name = freeName(slave.name, names);
      names.add(name);
      const { protocol } = slave;
      const body = {
        name,
        port: named.get(slave.shares ?? slave.key) ?? '',
        protocol,
        address: slave.address.trim(),
        options: optionsOf(slave, formOf(forms, protocol)),
      };
      return { body, template: slave.template };
    }),
  };
}
