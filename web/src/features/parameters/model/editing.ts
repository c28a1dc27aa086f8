import { faultsOf } from './faults';
import type { Fault, Group, Row } from './schema';
import { rowName } from './schema';
import { entryOf, rowOf } from './values';
import type { Entry } from './values';

/** Rows of every group by its name. */
export type Entries = Readonly<Record<string, readonly Entry[]>>;
interface GroupRows {
  name: string;
  rows: readonly Row[];
}

/** What an editor begins with. */
export const entriesOf = (groups: readonly Group[], given: readonly GroupRows[]): Entries =>
  Object.fromEntries(
    groups.map((group) => [
      group.name,
      (given.find(({ name }) => name === group.name)?.rows ?? []).map((row) => entryOf(group.fields, row)),
    ]),
  );

export const rowsOf = (group: Group, entries: readonly Entry[]): Row[] => entries.map((entry) => rowOf(group, entry));

/** Names of groups that are not as they were. Groups of which nothing was touched are the same list. */
export function changedGroups(groups: readonly Group[], before: Entries, now: Entries): string[] {
  return groups
    .filter((group) => {
      const [old, mine] = [before[group.name] ?? [], now[group.name] ?? []];
      return old !== mine && JSON.stringify(rowsOf(group, old)) !== JSON.stringify(rowsOf(group, mine));
    })
    .map(({ name }) => name);
}

/** Where a fault stands: a row's place, its field, and the place and field of an entry in it. */
export interface Place {
  at: number;
  field: string;
  entry: number | null;
  inner: string;
}

const PLACE = /^(?:\[(\d+)\])?\.?(\w*)(?:\[(\d+)\])?\.?(\w*)/;

/** The place that a fault of a group names. */
export function placeOf(field: string): Place {
  const [, at, name = '', entry, inner = ''] = PLACE.exec(field) ?? [];
  return { at: Number(at ?? 0), field: name, entry: entry === undefined ? null : Number(entry), inner };
}

/** The group and the rest of a field that the cloud names: uart[0].baud, run.mode. */
export function refusedAt(path: string): { group: string; field: string } | null {
  const match = /^(?:body\.)?([a-z0-9_]+)((?:\[|\.).*)?$/.exec(path);
  return match === null ? null : { group: match[1] ?? '', field: (match[2] ?? '').replace(/^\./, '') };
}

/** Rules of one row by field; those of entries of a list by their place: mapping.0.factor. */
export type RowRules = Readonly<Record<string, string>>;

/** Faults of a group by the id of its row. */
export function rulesOf(entries: readonly Entry[], faults: readonly Fault[]): ReadonlyMap<number, RowRules> {
  const rules = new Map<number, Record<string, string>>();
  for (const { field, rule } of faults) {
    if (field === '') continue; // of the group itself
    const place = placeOf(field);
    const id = entries[place.at]?.id ?? 0;
    const of = rules.get(id) ?? {};
    of[keyOf(place)] ??= rule;
    rules.set(id, of);
  }
  return rules;
}

const keyOf = ({ field, entry, inner }: Place): string => {
  if (entry === null) return field;
  return inner === '' ? field : `${field}.${entry}.${inner}`;
};

/** Faults of the groups that were changed. */
export function faultsIn(groups: readonly Group[], changed: readonly string[], now: Entries): Map<string, Fault[]> {
  const faults = new Map<string, Fault[]>();
  for (const group of groups) {
    if (!changed.includes(group.name)) continue;
    const wrong = faultsOf(group, rowsOf(group, now[group.name] ?? []));
    if (wrong.length > 0) faults.set(group.name, wrong);
  }
  return faults;
}

/** A new row with a name that no other has. */
export function newEntry(group: Group, entries: readonly Entry[], copyOf: Entry | null = null): Entry {
  const made = entryOf(group.fields, copyOf === null ? {} : rowOf(group, copyOf), true);
  const [name] = group.key;
  if (group.key.length !== 1 || name === undefined) return made;
  const taken = new Set(entries.map(({ values }) => String(values[name])));
  const stem = copyOf === null ? group.name : String(copyOf.values[name]);
  let free = stem;
  for (let number = 2; taken.has(free); number++) free = `${stem}-${number}`;
  return { ...made, values: { ...made.values, [name]: free } };
}

/** Groups that somebody else changed since an editor began, of those that were changed here. */
export function forestalled(
  groups: readonly Group[],
  changed: readonly string[],
  before: readonly GroupRows[],
  now: readonly GroupRows[],
): string[] {
  const text = (given: readonly GroupRows[], name: string): string =>
    JSON.stringify(given.find((each) => each.name === name)?.rows ?? []);
  return groups
    .map(({ name }) => name)
    .filter((name) => changed.includes(name) && text(before, name) !== text(now, name));
}

export const titleOf = (group: Group, entry: Entry): string => rowName(group, entry.values);
