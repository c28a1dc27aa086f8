import { queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  ConfigurationFault,
  FieldbusReport,
  InternalSlaveBody,
  LoopWritesBody,
  ReportedInternalSlave,
  ReportedLoopWrite,
} from '@/api/generated/types.gen';
import { ApiError } from '@/api/errors';
import { call } from '@/api/http';
import type { Target } from './model/frame';
import type { PointFacts } from './model/registers';
import { POINT_FIELDS, rowOf, SLAVE_FIELDS, TASK_FIELDS } from './model/sections';
import type { Row } from './model/sections';

export type { ConfigurationFault, FieldbusReport, ReportedInternalSlave, ReportedLoopWrite };

/** Gateways report every 30 s. */
const REFETCH_MS = 15_000;

export interface Draft {
  /** The version that it is of; null while there is none. */
  base: string | null;
  changeable: boolean;
}

export interface SlaveDraft extends Draft {
  internal_slave: Row | null;
  points: readonly Row[];
}

export interface TaskDraft extends Draft {
  tasks: readonly Row[];
}

/** Sections of the draft that are read and replaced together. */
export interface Section<Drafted extends Draft> {
  name: 'internalSlave' | 'loopWrites';
  load: (deviceId: number, signal?: AbortSignal) => Promise<Drafted>;
  /** Name of the version that it made. */
  save: (deviceId: number, draft: Drafted) => Promise<string>;
  /** What the gateway's faults of it begin with. */
  prefix: string;
}

export const INTERNAL_SLAVE: Section<SlaveDraft> = {
  name: 'internalSlave',
  prefix: 'internal_slave',
  load: (deviceId, signal) => call(sdk.getInternalSlave({ path: { device_id: deviceId }, signal })),
  save: async (deviceId, { base, internal_slave: slave, points }) => {
    const body = {
      base,
      internal_slave: slave === null ? null : rowOf(SLAVE_FIELDS, slave),
      points: points.map((row) => rowOf(POINT_FIELDS, row)),
    };
    const saved = await call(
      sdk.putInternalSlave({ path: { device_id: deviceId }, body: body as unknown as InternalSlaveBody }),
    );
    return saved.base;
  },
};

export const LOOP_WRITES: Section<TaskDraft> = {
  name: 'loopWrites',
  prefix: 'loop_writes',
  load: (deviceId, signal) => call(sdk.getLoopWrites({ path: { device_id: deviceId }, signal })),
  save: async (deviceId, { base, tasks }) => {
    const body = { base, tasks: tasks.map((row) => rowOf(TASK_FIELDS, row)) };
    const saved = await call(
      sdk.putLoopWrites({ path: { device_id: deviceId }, body: body as unknown as LoopWritesBody }),
    );
    return saved.base;
  },
};

export function sectionQuery<Drafted extends Draft>({ name, load }: Section<Drafted>, deviceId: number) {
  return queryOptions({
    queryKey: ['fieldbus', deviceId, name],
    queryFn: ({ signal }): Promise<Drafted> => load(deviceId, signal),
  });
}

/** What the gateway said last. */
export function reportQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['fieldbus', deviceId, 'report'],
    queryFn: ({ signal }) => call(sdk.getFieldbusReport({ path: { device_id: deviceId }, signal })),
    refetchInterval: REFETCH_MS,
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
export function pointsQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['fieldbus', deviceId, 'points'],
    queryFn: async ({ signal }): Promise<readonly PointFacts[]> => {
      const { rows } = await call(sdk.listPoints({ path: { device_id: deviceId }, signal }));
      return rows.map((row) => {
        const kind = String(row.ds_type ?? 'num');
        const rw = String(row.rw ?? 'readonly');
        return {
          slave: String(row.slave),
          name: String(row.ds_name),
          title: String(row.ds_title ?? ''),
          kind,
          dataType: String(row.data_type ?? 'int16'),
          ratio: Number(row.ratio ?? 1),
          bias: Number(row.bias ?? 0),
          isWritable: rw !== 'readonly' && kind !== 'cal',
          length: Number(row.regslength ?? 0),
        };
      });
    },
    staleTime: 60_000,
  });
}

/** Slaves of the newest configuration, as targets of messages. */
export function targetsQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['fieldbus', deviceId, 'targets'],
    queryFn: async ({ signal }): Promise<readonly Target[]> => {
      const path = { device_id: deviceId };
      const [slaves, ports, protocols] = await Promise.all([
        call(sdk.listSlaves({ path, signal })),
        call(sdk.listPorts({ path, signal })),
        call(sdk.listProtocols({ signal })),
      ]);
      const withRegisters = new Set(
        protocols.rows.filter(({ address }) => address.some(({ name }) => name === 'reg_type')).map(({ name }) => name),
      );
      const serial = new Set(ports.rows.filter(({ fields }) => fields.type === 'COM').map(({ fields }) => fields.name));
      return slaves.rows.map(({ fields }) => ({
        name: String(fields.name),
        title: String(fields.title ?? ''),
        hasRegisters: withRegisters.has(String(fields.protocol)),
        isSerial: serial.has(fields.port),
        fields,
      }));
    },
    staleTime: 60_000,
  });
}

/** States of a check to which the gateway has not answered. */
const GIVEN_UP: ReadonlySet<string> = new Set(['networkError', 'expired', 'cancelled']);

export interface SavedSection<Drafted> {
  /** As the draft has it now, with what others changed meanwhile. */
  draft: Drafted;
  /** What the gateway refuses of it; null when it could not be asked. */
  faults: readonly ConfigurationFault[] | null;
}

/** Save in the draft, and ask the gateway what it thinks of it. */
export async function saveAndCheck<Drafted extends Draft>(
  section: Section<Drafted>,
  deviceId: number,
  draft: Drafted,
): Promise<SavedSection<Drafted>> {
  const base = await section.save(deviceId, draft);
  const now = await section.load(deviceId);
  try {
    const { state, faults } = await call(
      sdk.checkConfiguration({ path: { device_id: deviceId }, body: { hash: base } }),
    );
    if (GIVEN_UP.has(state)) return { draft: now, faults: null };
    return { draft: now, faults: faults.filter(({ field }) => field.startsWith(section.prefix)) };
  } catch {
    return { draft: now, faults: null };
  }
}

/** Somebody else changed the same since the edit began. what: names of it; author: '' when it is not known for sure. */
export interface Changed {
  what: string;
  author: string;
}

/** Null for another refusal. */
export function changedOf(error: unknown): Changed | null {
  if (!(error instanceof ApiError) || error.facts.reason !== 'fieldbus.changed') return null;
  const { what = '', author = '' } = error.facts.args;
  return { what: String(what), author: String(author) };
}
