import type { Tone } from '@/lib/quality';
import type { ConfigurationState, DeploymentDetail, DeploymentStatus } from '@/api/generated/types.gen';

/** States after which nothing is done any more. */
const FINAL = ['checked', 'refused', 'unchanged', 'confirmed', 'reverted', 'expired', 'networkError', 'cancelled'];
const OPEN = ['created', 'sent', 'received', 'staged', 'switched'] as const;
const STATES = new Set<string>([...OPEN, ...FINAL]);

export function isFinal(state: string): boolean {
  return FINAL.includes(state);
}

/** Key of a state's name; null for one that this portal does not know. */
export function stateKey(state: string): string | null {
  return STATES.has(state) ? `configuration:state.${state}` : null;
}

export function toneOf(state: string): Tone {
  if (state === 'confirmed' || state === 'unchanged' || state === 'checked') return 'ok';
  if (state === 'expired' || state === 'cancelled') return 'warn';
  return isFinal(state) ? 'bad' : 'off';
}

export const STEPS = ['sent', 'received', 'staged', 'switched', 'ended'] as const;
export type StepName = (typeof STEPS)[number];
export type StepState = 'done' | 'active' | 'waiting' | 'failed' | 'skipped';

export interface Step {
  name: StepName;
  state: StepState;
  at_ms: number | null;
}

/** Receipts by which a step is known to be behind. What came later proves what was before. */
const PROOF: Record<Exclude<StepName, 'sent' | 'ended'>, readonly string[]> = {
  received: ['received', 'staged', 'switched', 'confirmed', 'reverted', 'refused', 'unchanged', 'checked'],
  staged: ['staged', 'switched', 'confirmed', 'reverted'],
  switched: ['switched', 'confirmed', 'reverted'],
};

/** What is not done because it need not be: the gateway ran the version already. */
const NEEDLESS: ReadonlySet<StepName> = new Set(['staged', 'switched']);

/** A deployment's life in five steps, in three where nothing had to change. What was never reached because it ended before is skipped. */
export function stepsOf(deployment: DeploymentDetail): Step[] {
  const { state, steps } = deployment;
  const ended = isFinal(state);
  const received = new Map(steps.map((step) => [step.step, step.received_ms]));
  const seen = [...received.keys(), state];
  const reached: Record<StepName, boolean> = {
    sent: deployment.sent_ms !== null || seen.some((name) => PROOF.received.includes(name)),
    received: seen.some((name) => PROOF.received.includes(name)),
    staged: seen.some((name) => PROOF.staged.includes(name)),
    switched: seen.some((name) => PROOF.switched.includes(name)),
    ended,
  };
  const at: Record<StepName, number | null> = {
    sent: deployment.sent_ms,
    received: received.get('received') ?? null,
    staged: received.get('staged') ?? null,
    switched: received.get('switched') ?? null,
    ended: deployment.finished_ms,
  };
  const next = STEPS.find((name) => !reached[name]);
  const isWell = toneOf(state) === 'ok';
  return STEPS.filter((name) => state !== 'unchanged' || !NEEDLESS.has(name)).map((name) => {
    if (name === 'ended' && ended) return { name, state: isWell ? 'done' : 'failed', at_ms: at.ended };
    if (reached[name]) return { name, state: 'done', at_ms: at[name] };
    if (state === 'cancelled' && reached.sent) return { name, state: 'waiting', at_ms: null }; // nobody knows what the gateway does with it
    return { name, state: ended ? 'skipped' : name === next ? 'active' : 'waiting', at_ms: null };
  });
}

/** How many of its STEPS an open deployment has behind it. */
function progressOf(state: DeploymentStatus['state']): number {
  return STEPS.findIndex((name) => name === state) + 1;
}

/** May it be taken back? What the gateway tries already is returned instead, and a check ends by itself. */
export function mayCancel({ state, check_only }: Pick<DeploymentStatus, 'state' | 'check_only'>): boolean {
  return !check_only && state !== 'switched' && !isFinal(state);
}

/** When the gateway goes back by itself unless all is well; null while nothing is on trial. */
export function deadlineOf(deployment: DeploymentDetail): number | null {
  if (deployment.state !== 'switched') return null;
  const switched = deployment.steps.find((step) => step.step === 'switched');
  return switched === undefined ? null : switched.received_ms + deployment.confirm_s * 1000;
}

export interface Missing {
  slaves: string[];
  points: string[];
  /** Slaves and points beyond those that are named. */
  moreSlaves: number;
  morePoints: number;
  link: boolean;
}

/** What a trial still waits for; null when nothing is missing, or nobody looked yet. */
export function missingOf({ missing }: Pick<DeploymentDetail, 'missing'>): Missing | null {
  if (missing === null || missing === undefined) return null;
  const { slaves = [], points = [], slaves_all = 0, points_all = 0, link = false } = missing;
  if (slaves.length === 0 && points.length === 0 && !link) return null;
  return {
    slaves,
    points,
    moreSlaves: Math.max(0, slaves_all - slaves.length),
    morePoints: Math.max(0, points_all - points.length),
    link,
  };
}

/** Refused only because a port has too much to do: that may be overruled. */
export function isOverload(deployment: Pick<DeploymentDetail, 'state' | 'faults'>): boolean {
  const { state, faults } = deployment;
  return state === 'refused' && faults.length > 0 && faults.every(({ field }) => /^ports\[\d+\]$/.test(field));
}

export type Situation =
  | { kind: 'unknown' }
  | { kind: 'underWay'; deployment: DeploymentStatus; step: number }
  | { kind: 'localEdit' }
  /** failed: how the draft's last deployment ended, if that was not well. */
  | { kind: 'draft'; failed: DeploymentStatus | null }
  | { kind: 'inForce' };

/** The one sentence about a gateway's configuration. */
export function situationOf(state: ConfigurationState): Situation {
  const { deployment } = state;
  if (deployment !== null && !deployment.check_only && !isFinal(deployment.state)) {
    return { kind: 'underWay', deployment, step: progressOf(deployment.state) };
  }
  if (state.running === null) return { kind: 'unknown' };
  if (state.local_edit) return { kind: 'localEdit' };
  if (state.draft === null) return { kind: 'inForce' };
  const isFailed =
    deployment !== null &&
    !deployment.check_only &&
    deployment.hash === state.draft.hash &&
    toneOf(deployment.state) === 'bad';
  return { kind: 'draft', failed: isFailed ? deployment : null };
}

/** Is the draft itself being deployed? Then there is nothing to say about its base, and nothing to deploy. */
export function isDraftUnderWay({ draft, deployment }: ConfigurationState): boolean {
  return draft !== null && deployment !== null && !isFinal(deployment.state) && deployment.hash === draft.hash;
}

/** Enough of a name to tell versions apart. */
export function short(hash: string): string {
  return hash.slice(0, 8);
}
