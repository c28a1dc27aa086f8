import type { Tone } from '@/lib/quality';

const STEPS = {
  waiting: 'off',
  begun: 'off',
  kept: 'warn',
  done: 'ok',
  failed: 'bad',
  skipped: 'off',
  not_begun: 'warn',
} as const satisfies Record<string, Tone>;

export type Step = keyof typeof STEPS;

export interface CampaignRow {
  device_id: number;
  device_title: string;
  gateway_id: string;
  step: Step;
  state: string;
  code: string;
}

export interface Campaign {
  rows: readonly CampaignRow[];
  counts: ReadonlyMap<Step, number>;
}

const CODES = [
  'offline',
  'no_draft',
  'read_only',
  'busy',
  'local_edit',
  'unknown_running',
  'nothing_to_deploy',
  'link_lost',
  'link_changes',
  'link_down',
  'no_receipt',
  'no_answer',
  'may_run',
  'access_password',
  'canary',
  'no_canary',
  'error_share',
  'unavailable',
  'no_permission',
  'user_gone',
  'has_draft',
  'version',
  'no_configuration',
] as const;
const STATES = [
  'confirmed',
  'unchanged',
  'refused',
  'reverted',
  'expired',
  'networkError',
  'cancelled',
  'resp',
  'fail',
  'error',
  'notAuthorized',
] as const;

export function toneOf(step: Step): Tone {
  return STEPS[step];
}

export function isStep(step: unknown): step is Step {
  return typeof step === 'string' && step in STEPS;
}

/** Key of the words for a code or state; null for one that this portal does not know and shows as it is. */
export function codeKey(code: string): string | null {
  if ((CODES as readonly string[]).includes(code)) return `base:campaign.code.${code}`;
  return (STATES as readonly string[]).includes(code) ? `base:campaign.state.${code}` : null;
}

/** What a job's summary says of each gateway; null before it says anything. */
export function campaignOf(summary: Readonly<Record<string, unknown>> | null): Campaign | null {
  if (summary === null || !Array.isArray(summary.rows)) return null;
  const rows = (summary.rows as CampaignRow[]).filter((row) => isStep(row.step));
  const counts = new Map<Step, number>();
  for (const { step } of rows) counts.set(step, (counts.get(step) ?? 0) + 1);
  return { rows, counts };
}
