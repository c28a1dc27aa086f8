import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '@/api/errors';
import { errorText, showSuccess } from '@/components/notices';
import { GATEWAYS, isForestalled, parametersQuery, saveParameters } from './api';
import type { GatewayParameters } from './api';
import { useEdits } from './edits';
import type { Edit } from './edits';
import { changedGroups, entriesOf, faultsIn, forestalled, refusedAt, rowsOf } from './model/editing';
import type { Entries } from './model/editing';
import type { Fault, Group } from './model/schema';
import type { Entry } from './model/values';

/** What is missing is told once somebody wants to save. */
const MISSING = 'must be given';

export interface Editor {
  entries: Entries;
  /** Names of groups that were changed here. */
  changed: readonly string[];
  /** By group; those of what is missing only after an attempt to save. */
  faults: ReadonlyMap<string, readonly Fault[]>;
  set: (group: string, entries: readonly Entry[]) => void;
  /** Null when nothing is wrong; else nothing is sent, and this is the first group that is wrong. */
  save: () => string | null;
  /** How often something was wrong when it was to be saved. */
  attempts: number;
  isSaving: boolean;
  /** Words for a refusal that no field shows; '' for none. */
  failure: string;
  /** Somebody else saved first: names of the groups that he and this editor changed; null when nobody did. */
  conflict: readonly string[] | null;
  /** Save over what the other one left. */
  overwrite: () => void;
  /** What was entered is given up. */
  reset: () => void;
}

/** The parameters of a gateway while they are edited. What is saved or deployed elsewhere is taken while nothing is entered. */
export function useEditor(deviceId: number, groups: readonly Group[], given: GatewayParameters): Editor {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const { keep, end } = useEdits();
  const kept = useEdits(({ byDevice }) => byDevice[deviceId]);
  const begun = useMemo((): Edit => {
    const entries = entriesOf(groups, given.groups);
    return { given, before: entries, now: entries, changed: [] };
  }, [groups, given]);
  const state = kept === undefined || (kept.changed.length === 0 && kept.given.base !== given.base) ? begun : kept;
  const { changed } = state;
  const [attempts, setAttempts] = useState(0);
  const [refused, setRefused] = useState<{ group: string; fault: Fault } | null>(null);
  const [conflict, setConflict] = useState<{ names: readonly string[]; base: string | null } | null>(null);
  const all = useMemo(() => faultsIn(groups, changed, state.now), [groups, changed, state.now]);
  const start = (): void => {
    end(deviceId);
    setAttempts(0);
    setRefused(null);
    setConflict(null);
  };
  const fresh = (): Promise<GatewayParameters> => cache.fetchQuery({ ...parametersQuery(deviceId), staleTime: 0 });
  const saving = useMutation({
    mutationFn: ({ base, edit }: { base: string | null; edit: Edit }) =>
      saveParameters(
        deviceId,
        base,
        groups
          .filter(({ name }) => edit.changed.includes(name))
          .map((group) => ({ name: group.name, rows: rowsOf(group, edit.now[group.name] ?? []) })),
      ),
    meta: { errorInPlace: true },
    onSuccess: async (_base, { edit }) => {
      showSuccess(t('parameters:saved'));
      void cache.invalidateQueries({ queryKey: ['configuration', deviceId] });
      void cache.invalidateQueries({ queryKey: GATEWAYS });
      const saved = await fresh();
      const later = useEdits.getState().byDevice[deviceId];
      start();
      // What was entered while it was being saved goes on from there.
      if (later === undefined || later.now === edit.now) return;
      const more = changedGroups(groups, edit.now, later.now);
      keep(deviceId, { given: saved, before: edit.now, now: later.now, changed: more });
    },
    onError: async (error) => {
      if (isForestalled(error)) {
        const now = await fresh();
        return setConflict({ names: forestalled(groups, changed, state.given.groups, now.groups), base: now.base });
      }
      const place = error instanceof ApiError ? refusedAt(error.facts.field) : null;
      if (place !== null && groups.some(({ name }) => name === place.group))
        setRefused({ group: place.group, fault: { field: place.field, rule: (error as ApiError).facts.rule } });
    },
  });
  const faults = useMemo(() => {
    const visible = new Map<string, readonly Fault[]>();
    for (const [name, some] of all) {
      const told = attempts > 0 ? some : some.filter(({ rule }) => rule !== MISSING);
      if (told.length > 0) visible.set(name, told);
    }
    if (refused !== null) visible.set(refused.group, [...(visible.get(refused.group) ?? []), refused.fault]);
    return visible;
  }, [all, attempts, refused]);
  return {
    entries: state.now,
    changed,
    faults,
    set: (group, entries) => {
      const now = { ...state.now, [group]: entries };
      keep(deviceId, { ...state, now, changed: changedGroups(groups, state.before, now) });
      if (refused?.group === group) setRefused(null);
    },
    save: () => {
      const [first] = all.keys();
      if (first !== undefined) {
        setAttempts(attempts + 1);
        return first;
      }
      if (changed.length > 0 && !saving.isPending) saving.mutate({ base: state.given.base, edit: state });
      return null;
    },
    attempts,
    isSaving: saving.isPending,
    failure: saving.error === null || refused !== null || conflict !== null ? '' : errorText(saving.error),
    conflict: conflict?.names ?? null,
    overwrite: () => {
      if (conflict === null) return;
      setConflict(null);
      saving.mutate({ base: conflict.base, edit: state });
    },
    reset: start,
  };
}
