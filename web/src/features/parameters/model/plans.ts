import type { ParameterPlanBody, ParameterPlanRow } from '@/api/generated/types.gen';
import type { Choice } from '@/components/AsyncPicker';
import { valueFaults } from './faults';
import type { Field, Group, Row } from './schema';
import { documentValue, inputValue } from './values';
import type { Values } from './values';

/** Every row of a group. */
export const EVERY = '*';
/** Groups of platforms of others: a plan for them has a version above 1. */
const PLATFORMS: ReadonlySet<string> = new Set(['hj212', 'mqtt']);
const LOWEST_OF_PLATFORMS = 2;
export const MAX_CHANGES = 50;

/** A change as it is entered. fields: those that become others; usual: of these the ones that get their default. */
export interface ChangeDraft {
  group: string;
  row: string;
  remove: boolean;
  fields: readonly string[];
  usual: readonly string[];
  values: Values;
}

export type PlanDraft = {
  title: string;
  remark: string;
  version: number | string;
  enabled: boolean;
  projects: readonly string[];
  devices: readonly Choice[];
  agent_min: string;
  agent_max: string;
  changes: readonly ChangeDraft[];
};

export const NO_CHANGE: ChangeDraft = { group: '', row: '', remove: false, fields: [], usual: [], values: {} };
export const NO_PLAN: PlanDraft = {
  title: '',
  remark: '',
  version: 1,
  enabled: true,
  projects: [],
  devices: [],
  agent_min: '',
  agent_max: '',
  changes: [NO_CHANGE],
};

/** Fields of the API that have another name in the form. */
export const NAMES = { project_ids: 'projects', device_ids: 'devices' } as const;

const groupNamed = (groups: readonly Group[], name: string): Group | undefined =>
  groups.find((group) => group.name === name);

/** Fields that a plan may change: the ones that name a row stay. */
export const changeable = (group: Group): readonly Field[] =>
  group.fields.filter(({ name }) => !group.key.includes(name));

/** The lowest version that a plan with these changes may have. */
export function lowestVersion(changes: readonly Pick<ChangeDraft, 'group'>[], before: number): number {
  const least = changes.some(({ group }) => PLATFORMS.has(group)) ? LOWEST_OF_PLATFORMS : 1;
  return Math.max(least, before + 1);
}

/** The form's values of a plan, as the next version of it. */
export function draftOf(
  groups: readonly Group[],
  plan: ParameterPlanRow,
  titles: ReadonlyMap<number, string>,
): PlanDraft {
  return {
    title: plan.title,
    remark: plan.remark ?? '',
    version: (plan.version ?? 1) + 1,
    enabled: plan.enabled ?? true,
    projects: (plan.project_ids ?? []).map(String),
    devices: (plan.device_ids ?? []).map((id) => ({ value: String(id), label: titles.get(id) ?? `#${id}` })),
    agent_min: plan.agent_min ?? '',
    agent_max: plan.agent_max ?? '',
    changes: plan.changes.map((change) => {
      const given: Row = change.values ?? {};
      const fields = Object.keys(given);
      const group = groupNamed(groups, change.group);
      return {
        group: change.group,
        row: change.row ?? '',
        remove: change.remove ?? false,
        fields,
        usual: fields.filter((name) => given[name] === null),
        values: Object.fromEntries(
          (group?.fields ?? [])
            .filter(({ name }) => fields.includes(name))
            .map((field) => [field.name, inputValue(field, given[field.name] ?? undefined)]),
        ),
      };
    }),
  };
}

/** What a change sets, null for a field that gets its default; undefined for what is required and empty. */
function valuesOf(group: Group, { fields, usual, values }: ChangeDraft): Row {
  return Object.fromEntries(
    group.fields
      .filter(({ name }) => fields.includes(name))
      .map((field) => {
        const value = usual.includes(field.name) ? null : documentValue(field, values[field.name]);
        return [field.name, value === undefined && !field.isRequired ? null : value];
      }),
  );
}

export function bodyOf(groups: readonly Group[], draft: PlanDraft): ParameterPlanBody {
  return {
    title: draft.title.trim(),
    remark: draft.remark.trim(),
    version: Number(draft.version),
    enabled: draft.enabled,
    project_ids: draft.projects.map(Number),
    device_ids: draft.devices.map(({ value }) => Number(value)),
    agent_min: draft.agent_min.trim(),
    agent_max: draft.agent_max.trim(),
    changes: draft.changes.map((change) => {
      const group = groupNamed(groups, change.group);
      const row = group === undefined || group.key.length === 0 ? '' : change.row.trim();
      if (change.remove || group === undefined) return { group: change.group, row, remove: true };
      return { group: change.group, row, values: valuesOf(group, change) };
    }),
  };
}

/** A broken rule at a place of the form, as a key of the words or as the rule itself. */
export interface PlanFault {
  path: string;
  word?: string;
  rule?: string;
}

const VERSION = /^(\d{1,6}(\.\d{1,6}){0,3})?$/;
const ROW_NAME = /^([A-Za-z0-9_.-]+|\*)$/;

/** What is wrong with a plan by itself. before: version that the plan has; 0 for a new one. */
export function planFaults(groups: readonly Group[], draft: PlanDraft, before: number): PlanFault[] {
  const lowest = lowestVersion(draft.changes, before);
  const version = Number(draft.version);
  const faults: PlanFault[] = [];
  if (draft.title.trim() === '') faults.push({ path: 'title', rule: 'must be given' });
  if (!Number.isInteger(version) || version < lowest)
    faults.push({ path: 'version', rule: `must be at least ${lowest}` });
  if (draft.projects.length + draft.devices.length === 0) faults.push({ path: 'projects', word: 'target' });
  for (const name of ['agent_min', 'agent_max'] as const)
    if (!VERSION.test(draft[name].trim())) faults.push({ path: name, word: 'agent' });
  if (draft.changes.length === 0) faults.push({ path: 'changes', word: 'changes' });
  return [...faults, ...draft.changes.flatMap((change, at) => changeFaults(groups, change, `changes.${at}`))];
}

function changeFaults(groups: readonly Group[], change: ChangeDraft, path: string): PlanFault[] {
  const group = groupNamed(groups, change.group);
  if (group === undefined) return [{ path: `${path}.group`, rule: 'must be given' }];
  const faults: PlanFault[] = [];
  if (group.key.length > 0 && !ROW_NAME.test(change.row.trim())) faults.push({ path: `${path}.row`, word: 'row' });
  if (change.remove) return faults;
  if (change.fields.length === 0) faults.push({ path: `${path}.fields`, word: 'fields' });
  const values = valuesOf(group, change);
  for (const field of group.fields) {
    if (!change.fields.includes(field.name) || change.usual.includes(field.name)) continue;
    const value = values[field.name];
    const wrong = value === undefined || value === null ? [] : valueFaults(field, value);
    if (value === undefined) faults.push({ path: `${path}.values.${field.name}`, rule: 'must be given' });
    for (const { field: place, rule } of wrong)
      faults.push({ path: `${path}.values.${place.replace(/\[(\d+)\]/, '.$1')}`, rule });
  }
  return faults;
}
