import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import * as sdk from '@/api/generated/sdk.gen';
import { call } from '@/api/http';
import type { Entries } from './model/editing';

const NONE: readonly string[] = [];
/** Fields that name a row of another group, or a slave. */
const NAMES: Readonly<Record<string, 'line' | 'slave'>> = { 'channels.port': 'line', 'loop_write.slave': 'slave' };

/** What fields that name something else propose: serial lines of the form, slaves of the gateway. */
export function useProposals(deviceId: number, entries: Entries): (group: string, field: string) => readonly string[] {
  const slaves = useQuery({
    queryKey: ['parameters', deviceId, 'slaves'],
    queryFn: async ({ signal }) =>
      (await call(sdk.listSlaves({ path: { device_id: deviceId }, signal }))).rows.map(({ fields }) =>
        String(fields.name),
      ),
    staleTime: 60_000,
    meta: { errorInPlace: true },
  }).data;
  const { uart } = entries;
  return useCallback(
    (group, field) => {
      const kind = NAMES[`${group}.${field}`];
      if (kind === 'slave') return slaves ?? NONE;
      return kind === 'line' ? (uart ?? []).map(({ values }) => String(values.name)) : NONE;
    },
    [slaves, uart],
  );
}
