import type { Choice } from '@/components/AsyncPicker';
import { EMPTY } from './draft';
import type { Draft } from './draft';
import type { WizardSlave } from './wizardSlaves';

export const STEPS = ['basic', 'points', 'gateway', 'project', 'done'] as const;
export type Step = (typeof STEPS)[number];

/** What the wizard knows so far. Templates are applied once the gateway is made. slaves: devices behind the gateway. */
export type WizardDraft = Draft & {
  gateway_template: Choice | null;
  slaves: readonly WizardSlave[];
};

export const EMPTY_WIZARD: WizardDraft = { ...EMPTY, gateway_template: null, slaves: [] };

/** Fields that a step shows. */
const STEP_FIELDS: Readonly<Record<Exclude<Step, 'done'>, readonly (keyof WizardDraft)[]>> = {
  basic: [
    'gateway_id',
    'device_title',
    'binder_devtitle',
    'gateway_type',
    'model',
    'protocol',
    'modbus_type',
    'product',
  ],
  points: ['slaves'],
  gateway: ['gateway_template'],
  project: ['project'],
};

/** The step that shows a field; null for a field that none asks for. */
export function stepShowing(field: string): Step | null {
  const [first = ''] = field.split('.');
  return STEPS.find((step) => step !== 'done' && (STEP_FIELDS[step] as readonly string[]).includes(first)) ?? null;
}

const STORAGE_KEY = 'edge.add-device';

export function stepOf(name: string | undefined): Step {
  return STEPS.find((step) => step === name) ?? 'basic';
}

export function next(step: Step, by: 1 | -1): Step {
  return STEPS[STEPS.indexOf(step) + by] ?? step;
}

/** A meter's password is entered again after a reload. */
function withoutSecrets({ password: _password, ...options }: WizardSlave['options']): WizardSlave['options'] {
  return options;
}

/** What a reload would lose; a password is never kept. */
export function keepDraft(store: Storage, draft: WizardDraft): void {
  const slaves = draft.slaves.map((slave) => ({ ...slave, options: withoutSecrets(slave.options) }));
  store.setItem(STORAGE_KEY, JSON.stringify({ ...draft, slaves, access_password: '' }));
}

export function storedDraft(store: Storage): WizardDraft {
  try {
    const stored: unknown = JSON.parse(store.getItem(STORAGE_KEY) ?? 'null');
    if (typeof stored !== 'object' || stored === null) return EMPTY_WIZARD;
    const { slaves } = stored as { slaves?: unknown };
    return { ...EMPTY_WIZARD, ...stored, slaves: Array.isArray(slaves) ? (slaves as WizardSlave[]) : [] };
  } catch {
    return EMPTY_WIZARD;
  }
}

export function dropDraft(store: Storage): void {
  store.removeItem(STORAGE_KEY);
}

const ARRIVED = 'edge.add-device.arrived';

/** Seconds that a gateway took to come at first: a deployment connects it once more. Of the last one that was added. */
export function keepArrival(store: Storage, id: number, online_s: number): void {
  store.setItem(ARRIVED, `${id}:${online_s}`);
}

export function storedArrival(store: Storage, id: number): number | null {
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

interface KnownState {
  running: { hash: string; known: boolean } | null;
  draft: { hash: string; behind: boolean } | null;
  deployment: { state: string; hash: string } | null;
}

/** points: of what it runs. */
export function stageOf(isOnline: boolean, state: KnownState | undefined, points: number): Stage {
  if (state?.deployment != null && UNDER_WAY.has(state.deployment.state)) return 'underway';
  if (!isOnline) return 'away';
  if (state === undefined || state.running === null || !state.running.known) return 'unknown';
  const { draft, deployment } = state;
  if (draft?.behind === true) return 'behind';
  if (draft !== null)
    return deployment !== null && deployment.hash === draft.hash && !DEPLOYED.has(deployment.state)
      ? 'failed'
      : 'draft';
  return points === 0 ? 'empty' : 'deployed';
}

/** What a deployment would go over, and what it would put there: refused for that, it is worth another try once this is something else. */
export function groundOf(
  state: { running: { hash: string } | null; draft: { hash: string; base: string | null } | null } | undefined,
): string {
  return [state?.running?.hash, state?.draft?.hash, state?.draft?.base].join('/');
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
