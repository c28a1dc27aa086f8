import { queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  ConfigurationFault,
  ForwarderBody,
  ForwarderRow,
  Forwarders,
  GatewayTargetRow,
  ListTargetsData,
  RefusedRecord,
  TargetRow,
} from '@/api/generated/types.gen';
import { ApiError } from '@/api/errors';
import { call } from '@/api/http';
import type { Row } from './model/form';
import type { Moved } from './model/moved';
import type { PointChoice } from './model/suggest';

export type { ConfigurationFault, ForwarderRow, Forwarders, GatewayTargetRow, RefusedRecord, TargetRow };
export type Condition = NonNullable<NonNullable<ListTargetsData['query']>['condition']>;

/** Gateways report every 30 s. */
const REFETCH_MS = 15_000;

export function deviceTargetsQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['targets', 'device', deviceId],
    queryFn: ({ signal }) => call(sdk.listDeviceTargets({ path: { device_id: deviceId }, signal })),
    refetchInterval: REFETCH_MS,
  });
}

export interface TargetFilter {
  condition: Condition | undefined;
  search: string | undefined;
  page: number;
  limit: number;
}

export function loadTargets(
  query: TargetFilter,
  signal: AbortSignal,
): Promise<{ rows: GatewayTargetRow[]; total: number }> {
  return call(sdk.listTargets({ query, signal }));
}

/** Targets of the newest configuration, deployed or not. */
export function forwardersQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['forwarders', deviceId],
    queryFn: ({ signal }) => call(sdk.listForwarders({ path: { device_id: deviceId }, signal })),
  });
}

/** The draft of a gateway; the same data as the tab of its points asks for. */
export function draftQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['configuration', deviceId, 1, 1],
    queryFn: ({ signal }) =>
      call(sdk.getConfiguration({ path: { device_id: deviceId }, query: { page: 1, limit: 1 }, signal })),
  });
}

/** Points of the newest configuration. */
export function pointChoicesQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['forwarders', deviceId, 'points'],
    queryFn: async ({ signal }): Promise<readonly PointChoice[]> => {
      const { rows } = await call(sdk.listPoints({ path: { device_id: deviceId }, signal }));
      return rows.map((row) => ({
        name: `${String(row.slave)}.${String(row.ds_name)}`,
        title: String(row.ds_title ?? ''),
        unit: String(row.unit ?? ''),
      }));
    },
    staleTime: 60_000,
  });
}

/** States of a check to which the gateway has not answered. */
const GIVEN_UP: ReadonlySet<string> = new Set(['networkError', 'expired', 'cancelled']);

export interface SavedTarget {
  /** The version that the next edit begins with. */
  base: string;
  /** What the gateway refuses of this target; null when it could not be asked. */
  faults: readonly ConfigurationFault[] | null;
}

/** A target that is edited. was: its name until now, null for a new one; base: the version in which it was seen. */
export interface Edited {
  was: string | null;
  base: string | null;
  /** Of a new one: the target of base whose secrets its masks stand for. */
  like?: string | undefined;
}

/** Save in the draft, and ask the gateway what it thinks of it. */
export async function saveAndCheck(deviceId: number, edited: Edited, fields: Row): Promise<SavedTarget> {
  const { base } = await saveForwarder(deviceId, edited, fields);
  try {
    const { rows } = await call(sdk.listForwarders({ path: { device_id: deviceId } }));
    const at = rows.find((row) => row.fields.name === fields.name)?.at;
    const { state, faults } = await call(
      sdk.checkConfiguration({ path: { device_id: deviceId }, body: { hash: base } }),
    );
    if (GIVEN_UP.has(state)) return { base, faults: null };
    return { base, faults: faults.filter(({ field }) => field.startsWith(`forwarders[${at}].`)) };
  } catch {
    return { base, faults: null };
  }
}

/** Refused when somebody changed the target since base. */
export async function saveForwarder(
  deviceId: number,
  { was, base, like }: Edited,
  fields: Row,
): Promise<{ base: string }> {
  const forwarder = fields as unknown as ForwarderBody['forwarder'];
  return call(sdk.saveForwarder({ path: { device_id: deviceId }, body: { was, base, like, forwarder } }));
}

/** Refused as saving is. */
export async function deleteForwarder(deviceId: number, name: string, base: string | null): Promise<void> {
  const query = { base: base ?? undefined };
  await call(sdk.deleteForwarder({ path: { device_id: deviceId, forwarder_name: name }, query }));
}

const MOVED: ReadonlySet<string> = new Set(['forwarder.changed', 'forwarder.removed']);

/** The target as somebody else left it, when that is why a save was refused; null for another refusal. */
export async function movedOf(deviceId: number, was: string | null, error: unknown): Promise<Moved | null> {
  if (!(error instanceof ApiError) || !MOVED.has(error.facts.reason)) return null;
  const { base, rows } = await call(sdk.listForwarders({ path: { device_id: deviceId } }));
  const theirs = rows.find(({ fields }) => fields.name === was)?.fields ?? null;
  const { author = '', fields = '' } = error.facts.args;
  return { author: String(author), base, theirs, changed: String(fields).split(', ') };
}
