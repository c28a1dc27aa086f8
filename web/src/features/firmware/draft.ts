import type { Choice } from '@/components/AsyncPicker';
import { formatDateTime } from '@/lib/time';
import { fileChoice, IMAGE } from './api';
import type { PlanBody, PlanDetail, PlanRow, PlanRules } from './api';

/** What is typed of a plan. Numbers and intervals (seconds): '' for none; shares in percent; day: YYYY-MM-DD. */
export type PlanDraft = {
  name: number | string;
  title: string;
  enabled: boolean;
  range: string;
  project_ids: string[];
  device_ids: readonly Choice[];
  created_after_ms: string;
  /** What that day was made of: a time of a day that nobody changed stays. */
  created_after_was: number | null;
  scope: string;
  plan_control_count: number | string;
  firmware_id: Choice | null;
  upgrade_type: string;
  growth: number | string;
  max_wave: number | string;
  success_share: number | string;
  error_share: number | string;
  on_error: string;
  at_once: number | string;
  watch_s: number | string;
  offline_s: number | string;
  expires_s: number | string;
  confirm_s: number | string;
  has_window: boolean;
  window_begin: string;
  window_end: string;
  zone: string;
  approval: boolean;
  allow_older: boolean;
};

export const SCOPE_ALL = '3';
export const MAX_DEVICES = 10_000;
export const MAX_PROJECTS = 200;
export const DAY_S = 86_400;

/** Least and greatest of what the API takes; shares in percent, times in seconds. */
export const LIMITS = {
  name: [1, 2_147_483_647],
  plan_control_count: [1, MAX_DEVICES],
  growth: [1, 10],
  max_wave: [1, MAX_DEVICES],
  success_share: [50, 100],
  error_share: [0, 50],
  at_once: [1, 500],
  watch_s: [0, 7 * DAY_S],
  offline_s: [60, 90 * DAY_S],
  expires_s: [60, 30 * DAY_S],
  confirm_s: [30, 3600],
} as const;
export type Limited = keyof typeof LIMITS;

/** As the API has them for who says nothing. */
export const NO_PLAN: PlanDraft = {
  name: '',
  title: '',
  enabled: true,
  range: 'project',
  project_ids: [],
  device_ids: [],
  created_after_ms: '',
  created_after_was: null,
  scope: '2',
  plan_control_count: 1,
  firmware_id: null,
  upgrade_type: String(IMAGE),
  growth: 3,
  max_wave: 1000,
  success_share: 90,
  error_share: 5,
  on_error: 'pause',
  at_once: 50,
  watch_s: 1800,
  offline_s: 7 * DAY_S,
  expires_s: DAY_S,
  confirm_s: 600,
  has_window: false,
  window_begin: '01:00',
  window_end: '05:00',
  zone: '',
  approval: false,
  allow_older: false,
};

/** Fields of the API that have another name in the form. */
export const NAMES: Readonly<Record<string, string>> = {
  rules: 'expires_s',
  'rules.window': 'window_begin',
  'rules.window.begin': 'window_begin',
  'rules.window.end': 'window_end',
  ...Object.fromEntries(
    [
      'growth',
      'max_wave',
      'success_share',
      'error_share',
      'on_error',
      'at_once',
      'watch_s',
      'offline_s',
      'expires_s',
      'confirm_s',
      'zone',
      'approval',
      'allow_older',
    ].map((name) => [`rules.${name}`, name]),
  ),
};

/** One decimal is as exact as people type it; 0.07 is no 7.000000000000001. */
const percent = (share: number): number => Math.round(share * 1000) / 10;
const share = (typed: number | string): number => Math.round(Number(typed) * 10) / 1000;
const dayOf = (ms: number): string => formatDateTime(ms).slice(0, 10);

function midnight(day: string): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date).getTime();
}

/** unknown: words for a gateway whose title is not known. */
export function planDraft(row: PlanRow | PlanDetail, unknown: (id: number) => string): PlanDraft {
  const { rules, created_after_ms, plan_control_count } = row;
  const titles = new Map(('targets' in row ? row.targets : []).map(({ id, title }) => [id, title]));
  return {
    name: row.name,
    title: row.title,
    enabled: row.enabled,
    range: row.range,
    project_ids: row.project_ids.map(String),
    device_ids: row.device_ids.map((id) => ({ value: String(id), label: titles.get(id) ?? unknown(id) })),
    created_after_ms: created_after_ms === null ? '' : dayOf(created_after_ms),
    created_after_was: created_after_ms,
    scope: String(row.scope),
    plan_control_count: plan_control_count ?? '',
    firmware_id: fileChoice(row.file),
    upgrade_type: String(row.file.upgrade_type),
    ...rulesDraft(rules),
  };
}

function rulesDraft(
  rules: PlanRules,
): Pick<PlanDraft, Exclude<keyof PlanRules, 'window'>> & Pick<PlanDraft, 'has_window' | 'window_begin' | 'window_end'> {
  const { window, success_share = 0.9, error_share = 0.05, ...given } = rules;
  return {
    growth: given.growth ?? NO_PLAN.growth,
    max_wave: given.max_wave ?? NO_PLAN.max_wave,
    success_share: percent(success_share),
    error_share: percent(error_share),
    on_error: given.on_error ?? NO_PLAN.on_error,
    at_once: given.at_once ?? NO_PLAN.at_once,
    watch_s: given.watch_s ?? NO_PLAN.watch_s,
    offline_s: given.offline_s ?? NO_PLAN.offline_s,
    expires_s: given.expires_s ?? NO_PLAN.expires_s,
    confirm_s: given.confirm_s ?? NO_PLAN.confirm_s,
    has_window: window !== null && window !== undefined,
    window_begin: window?.begin ?? NO_PLAN.window_begin,
    window_end: window?.end ?? NO_PLAN.window_end,
    zone: given.zone ?? '',
    approval: given.approval ?? false,
    allow_older: given.allow_older ?? false,
  };
}

export function planBody(draft: PlanDraft): PlanBody {
  const { created_after_ms: day, created_after_was: was, scope } = draft;
  const isOfProjects = draft.range === 'project';
  return {
    name: Number(draft.name),
    title: draft.title.trim(),
    enabled: draft.enabled,
    range: isOfProjects ? 'project' : 'device',
    project_ids: isOfProjects ? draft.project_ids.map(Number) : [],
    device_ids: isOfProjects ? [] : draft.device_ids.map(({ value }) => Number(value)),
    created_after_ms: day === '' ? null : was !== null && dayOf(was) === day ? was : midnight(day),
    scope: Number(scope) as PlanBody['scope'],
    plan_control_count: scope === SCOPE_ALL ? null : Number(draft.plan_control_count),
    firmware_id: Number(draft.firmware_id?.value ?? 0),
    upgrade_type: Number(draft.upgrade_type) as PlanBody['upgrade_type'],
    rules: {
      growth: Number(draft.growth),
      max_wave: Number(draft.max_wave),
      success_share: share(draft.success_share),
      error_share: share(draft.error_share),
      on_error: draft.on_error === 'rollback' ? 'rollback' : 'pause',
      at_once: Number(draft.at_once),
      watch_s: Number(draft.watch_s),
      offline_s: Number(draft.offline_s),
      expires_s: Number(draft.expires_s),
      confirm_s: Number(draft.confirm_s),
      window: draft.has_window ? { begin: draft.window_begin, end: draft.window_end } : null,
      zone: draft.zone,
      approval: draft.approval,
      allow_older: draft.allow_older,
    },
  };
}

export type DraftFault = 'needed' | 'range' | 'wholeNumber' | 'sameTimes' | 'windowNeedsDay';

const WHOLE: ReadonlySet<Limited> = new Set([
  'name',
  'plan_control_count',
  'max_wave',
  'at_once',
  'watch_s',
  'offline_s',
  'expires_s',
  'confirm_s',
]);

/** What is wrong with a draft, by field; the cloud checks it once more. */
export function draftFaults(draft: PlanDraft): Readonly<Partial<Record<keyof PlanDraft, DraftFault>>> {
  const faults: Partial<Record<keyof PlanDraft, DraftFault>> = {};
  for (const name of Object.keys(LIMITS) as Limited[]) {
    if (name === 'plan_control_count' && draft.scope === SCOPE_ALL) continue;
    const value = draft[name];
    const [min, max] = LIMITS[name];
    if (value === '' && name !== 'watch_s') faults[name] = 'needed';
    else if (Number(value) < min || Number(value) > max) faults[name] = 'range';
    else if (WHOLE.has(name) && !Number.isInteger(Number(value))) faults[name] = 'wholeNumber';
  }
  if (draft.range === 'project' ? draft.project_ids.length === 0 : draft.device_ids.length === 0)
    faults[draft.range === 'project' ? 'project_ids' : 'device_ids'] = 'needed';
  if (draft.firmware_id === null) faults.firmware_id = 'needed';
  if (draft.has_window) {
    if (draft.window_begin === '') faults.window_begin = 'needed';
    if (draft.window_end === '') faults.window_end = 'needed';
    else if (draft.window_begin === draft.window_end) faults.window_end = 'sameTimes';
    if (Number(draft.expires_s) < DAY_S) faults.expires_s ??= 'windowNeedsDay';
  }
  return faults;
}

/** Does a window go on after midnight? */
export function isOverMidnight({ window_begin, window_end }: Pick<PlanDraft, 'window_begin' | 'window_end'>): boolean {
  return window_begin !== '' && window_end !== '' && window_end <= window_begin;
}
