import type { BadgeTone } from '@/lib/statusCodes';
import type { PlanState, UpgradeCounts, UpgradeRow, UpgradeState, WaveRow } from './api';

export const PLAN_TONES = {
  draft: 'off',
  running: 'info',
  paused: 'warn',
  finished: 'ok',
  cancelled: 'off',
} as const satisfies Record<PlanState, BadgeTone>;

export const UPGRADE_TONES = {
  waiting: 'off',
  ordered: 'info',
  downloading: 'info',
  verified: 'info',
  installed: 'info',
  trial: 'info',
  watching: 'info',
  succeeded: 'ok',
  failed: 'bad',
  missed: 'warn',
  skipped: 'off',
} as const satisfies Record<UpgradeState, BadgeTone>;

/** A part of a bar. name: of its words and colour. */
export interface BarPart {
  name: string;
  count: number;
}

/** From what is done to what is to be done, then what did not go well. */
const COUNTS = [
  'succeeded',
  'watching',
  'under_way',
  'waiting',
  'failed',
  'excused',
  'missed',
  'skipped',
] as const satisfies readonly (keyof UpgradeCounts)[];

const STATES = [
  'succeeded',
  'watching',
  'trial',
  'installed',
  'verified',
  'downloading',
  'ordered',
  'waiting',
  'failed',
  'missed',
  'skipped',
] as const satisfies readonly UpgradeState[];

/** Of a list, where an order that is out is one thing. */
export function countParts(counts: UpgradeCounts): readonly BarPart[] {
  return COUNTS.map((name) => ({ name, count: counts[name] ?? 0 })).filter(({ count }) => count > 0);
}

/** Of a plan, each step by itself. */
export function stateParts(steps: Readonly<Partial<Record<string, number>>>): readonly BarPart[] {
  return STATES.map((name) => ({ name, count: steps[name] ?? 0 })).filter(({ count }) => count > 0);
}

export interface WaveFacts {
  /** over: passed, and nobody succeeded in it. stopped: it was under way when the rollout was cancelled; cancelled: it had not begun then. */
  place: 'done' | 'over' | 'current' | 'paused' | 'stopped' | 'cancelled' | 'later';
  /** Gateways that must succeed until the next wave begins. */
  needed: number;
  /** Failures that it stands; one more stops the rollout. */
  allowed: number;
}

/** As the cloud decides (firmware/rollout.py): of those that can take it, without those that did not come or are excused. */
export function waveFacts(
  wave: WaveRow,
  {
    current,
    state,
    successShare,
    errorShare,
  }: {
    current: number;
    state: PlanState;
    successShare: number;
    errorShare: number;
  },
): WaveFacts {
  const { total = 0, skipped = 0, excused = 0, missed = 0, succeeded = 0 } = wave;
  const able = total - skipped;
  const counted = able - excused - missed;
  const isPassed = state === 'finished' || (state !== 'draft' && wave.number < current);
  return {
    place: isPassed ? (succeeded > 0 ? 'done' : 'over') : placeOf(state, wave.number === current),
    needed: Math.ceil(counted * successShare - 1e-9),
    allowed: Math.floor(able * errorShare),
  };
}

/** Of a wave that is not passed. */
function placeOf(state: PlanState, isCurrent: boolean): WaveFacts['place'] {
  if (state === 'cancelled') return isCurrent ? 'stopped' : 'cancelled';
  if (state === 'draft' || !isCurrent) return 'later';
  return state === 'paused' ? 'paused' : 'current';
}

export type RunningNote = 'again' | 'wanted' | 'before' | 'other';

/** What a gateway runs now, as against its order; null without its word, or while it is not known what it ran before. */
export function runningNote({
  running,
  version,
  from_version,
}: Pick<UpgradeRow, 'running' | 'version' | 'from_version'>): RunningNote | null {
  if (running === null) return null;
  if (running.went_back) return 'again';
  if (running.version === version) return 'wanted';
  if (from_version === null) return null;
  return running.version === from_version ? 'before' : 'other';
}

/** Share of the file that is on the gateway, 0 to 100; null before it loads. */
export function loadedPercent({ done, size }: { done: number; size: number }): number | null {
  return done > 0 && size > 0 ? Math.min(100, Math.floor((done * 100) / size)) : null;
}
