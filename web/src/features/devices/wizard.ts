import type { PortBody, SlaveBody } from '@/api/generated/types.gen';
import type { Choice } from '@/components/UserPicker';
import { EMPTY } from './draft';
import type { Draft } from './draft';

export const STEPS = ['basic', 'points', 'gateway', 'project', 'done'] as const;
export type Step = (typeof STEPS)[number];

/**
 * What the wizard knows so far. Templates are put in once the gateway is made. The note of point_template is its
 * protocol; slave_... and port_...: where the slave with its points is.
 */
export type WizardDraft = Draft & {
  gateway_template: Choice | null;
  point_template: Choice | null;
  slave_name: string;
  slave_address: string;
  port_type: 'NET' | 'COM';
  port_host: string;
  port_number: number | string;
  port_device: string;
  port_baud: string;
};

const MODBUS_PORT = 502;
export const BAUDS = ['1200', '2400', '4800', '9600', '19200', '38400', '57600', '115200'] as const;
const PORT_NAME = 'port1';

export const EMPTY_WIZARD: WizardDraft = {
  ...EMPTY, gateway_template: null, point_template: null, slave_name: 'slave1', slave_address: '1', port_type: 'NET', port_host: '', port_number: MODBUS_PORT,
  port_device: '/dev/ttyS1', port_baud: '9600',
};

export type WizardFault = 'slave' | 'host' | 'port' | 'device';

/** What is wrong with the slave of a point template; nothing without one. */
export function slaveFaults(draft: WizardDraft): Partial<Record<keyof WizardDraft, WizardFault>> {
  if (draft.point_template === null) return {};
  const faults: Partial<Record<keyof WizardDraft, WizardFault>> = {};
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(draft.slave_name)) faults.slave_name = 'slave';
  const number = Number(draft.port_number);
  if (draft.port_type === 'COM') return draft.port_device.trim() === '' ? { ...faults, port_device: 'device' } : faults;
  if (draft.port_host.trim() === '') faults.port_host = 'host';
  if (!Number.isInteger(number) || number < 1 || number > 65_535) faults.port_number = 'port';
  return faults;
}

/** Names that the gateway's draft has already. */
export type Taken = Readonly<Record<'ports' | 'slaves', ReadonlySet<string>>>;

const LONGEST_NAME = 64;

/** The name itself, or the next number after it that is free. */
export function freeName(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  const stem = wanted.replace(/\d+$/, '');
  for (let number = 2; ; number += 1) {
    const name = `${stem.slice(0, LONGEST_NAME - String(number).length)}${number}`;
    if (!taken.has(name)) return name;
  }
}

/** The port and the slave that a point template is put into, under names that are free. */
export function connectionOf(draft: WizardDraft, taken: Taken): { port: PortBody; slave: SlaveBody & { name: string } } {
  const port = freeName(PORT_NAME, taken.ports);
  const isSerial = draft.port_type === 'COM';
  const line = isSerial
    ? { device: draft.port_device.trim(), baud: Number(draft.port_baud) }
    : { ip: draft.port_host.trim(), port: Number(draft.port_number) };
  return {
    port: { name: port, type: draft.port_type, ...line },
    slave: { name: freeName(draft.slave_name, taken.slaves), port, protocol: draft.point_template?.note ?? '', address: draft.slave_address.trim() },
  };
}

/** Fields that a step shows. */
const SHOWN: Readonly<Record<Exclude<Step, 'done'>, readonly (keyof WizardDraft)[]>> = {
  basic: ['gateway_id', 'device_title', 'binder_devtitle', 'gateway_type', 'model', 'protocol', 'modbus_type', 'product'],
  points: ['point_template', 'slave_name', 'slave_address', 'port_type', 'port_host', 'port_number', 'port_device', 'port_baud'],
  gateway: ['gateway_template'],
  project: ['project'],
};

/** The step that shows a field; null for a field that none asks for. */
export function stepShowing(field: string): Step | null {
  return STEPS.find((step) => step !== 'done' && (SHOWN[step] as readonly string[]).includes(field)) ?? null;
}

const KEPT = 'edge.add-device';

export function stepOf(name: string | undefined): Step {
  return STEPS.find((step) => step === name) ?? 'basic';
}

export function next(step: Step, by: 1 | -1): Step {
  return STEPS[STEPS.indexOf(step) + by] ?? step;
}

/** What a reload would lose; a password is never kept. */
export function keepDraft(store: Storage, draft: WizardDraft): void {
  store.setItem(KEPT, JSON.stringify({ ...draft, access_password: '' }));
}

export function keptDraft(store: Storage): WizardDraft {
  try {
    const found: unknown = JSON.parse(store.getItem(KEPT) ?? 'null');
    return typeof found === 'object' && found !== null ? { ...EMPTY_WIZARD, ...found } : EMPTY_WIZARD;
  } catch {
    return EMPTY_WIZARD;
  }
}

export function dropDraft(store: Storage): void {
  store.removeItem(KEPT);
}

const ARRIVED = 'edge.add-device.arrived';

/** Seconds that a gateway took to come at first: a deployment connects it once more. Of the last one that was added. */
export function keepArrival(store: Storage, id: number, online_s: number): void {
  store.setItem(ARRIVED, `${id}:${online_s}`);
}

export function keptArrival(store: Storage, id: number): number | null {
  const [of, online_s] = (store.getItem(ARRIVED) ?? '').split(':').map(Number);
  return of === id && online_s !== undefined && Number.isFinite(online_s) ? online_s : null;
}

export interface Arrival {
  /** Seconds from the making of the gateway to its first connection; null while it has not come. */
  online_s: number | null;
  /** Points with a good value, of so many. */
  read: number;
  points: number;
}

/**
 * Where its configuration stands. unknown: it has not said yet what it runs. behind: it runs something that the draft was
 * not made from, and somebody must look at both. failed: turned away, and a draft still.
 */
export type Stage = 'away' | 'unknown' | 'behind' | 'empty' | 'draft' | 'underway' | 'failed' | 'deployed';

const UNDER_WAY: ReadonlySet<string> = new Set(['created', 'sent', 'received', 'staged', 'switched']);
const DEPLOYED: ReadonlySet<string> = new Set(['confirmed', 'unchanged']);

interface StandingKnown {
  running: { hash: string; known: boolean } | null;
  draft: { hash: string; behind: boolean } | null;
  deployment: { state: string; hash: string } | null;
}

/** points: of what it runs. */
export function stageOf(isOnline: boolean, standing: StandingKnown | undefined, points: number): Stage {
  if (standing?.deployment != null && UNDER_WAY.has(standing.deployment.state)) return 'underway';
  if (!isOnline) return 'away';
  if (standing === undefined || standing.running === null || !standing.running.known) return 'unknown';
  const { draft, deployment } = standing;
  if (draft?.behind === true) return 'behind';
  if (draft !== null) return deployment !== null && deployment.hash === draft.hash && !DEPLOYED.has(deployment.state) ? 'failed' : 'draft';
  return points === 0 ? 'empty' : 'deployed';
}

/** What a deployment would go over, and what it would put there: refused for that, it is worth another try once this is something else. */
export function groundOf(standing: { running: { hash: string } | null; draft: { hash: string; base: string | null } | null } | undefined): string {
  return [standing?.running?.hash, standing?.draft?.hash, standing?.draft?.base].join('/');
}

const OF_ITS_GROUND: ReadonlySet<string> = new Set(['deploy.local_edit', 'deploy.unknown_running']);

/** Was it refused for what the gateway ran then, which it does not any more? tried: groundOf of then. */
export function isOvertaken(reason: string, tried: string | undefined, ground: string): boolean {
  return OF_ITS_GROUND.has(reason) && tried !== ground;
}

interface Known {
  created_ms: number;
  link: { online: boolean; since_ms: number | null };
}

/** How far a new gateway has come. Quality 0 is good. */
export function arrivalOf(device: Known, points: number, values: readonly { quality: number }[]): Arrival {
  const { online, since_ms } = device.link;
  const online_s = online && since_ms !== null ? Math.max(0, Math.round((since_ms - device.created_ms) / 1000)) : null;
  return { online_s, read: values.filter(({ quality }) => quality === 0).length, points };
}
