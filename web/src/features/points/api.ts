import { queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  Area,
  CellFault,
  CommandStatus,
  ConfigurationState,
  FormField,
  GatewayLink,
  Override,
  PointBatchBody,
  PointRead,
  Points,
  PortBody,
  Ports,
  ProtocolForm,
  Saved,
  ScriptFields,
  Scripts,
  SlaveBatchBody,
  SlaveBody,
  SlaveRow,
  Slaves,
  TryBody,
} from '@/api/generated/types.gen';
import { call } from '@/api/http';

export type {
  Area,
  CellFault,
  CommandStatus,
  ConfigurationState,
  FormField,
  GatewayLink,
  PointBatchBody,
  PointRead,
  Points,
  Ports,
  ProtocolForm,
  Saved,
  Scripts,
  SlaveRow,
  Slaves,
};
export type PortValues = Omit<PortBody, 'base'>;
export type SlaveValues = Omit<SlaveBody, 'base'>;

const NEWEST_COMMANDS = 100;

export const protocolsQuery = queryOptions({
  queryKey: ['protocols'],
  queryFn: async ({ signal }) => (await call(sdk.listProtocols({ signal }))).rows,
  staleTime: Infinity,
});

/** The same data as the device's page keeps. */
export function deviceQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['device', deviceId],
    queryFn: ({ signal }) => call(sdk.getDevice({ path: { device_id: deviceId }, signal })),
  });
}

export function portsQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['points', deviceId, 'ports'],
    queryFn: ({ signal }) => call(sdk.listPorts({ path: { device_id: deviceId }, signal })),
  });
}

export function slavesQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['points', deviceId, 'slaves'],
    queryFn: ({ signal }) => call(sdk.listSlaves({ path: { device_id: deviceId }, signal })),
  });
}

export async function loadPoints(deviceId: number, slave: string, signal?: AbortSignal): Promise<Points> {
  return call(sdk.listPoints({ path: { device_id: deviceId }, query: { slave }, signal }));
}

export function configurationStateQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['configuration', deviceId, 1, 1],
    queryFn: ({ signal }) =>
      call(sdk.getConfiguration({ path: { device_id: deviceId }, query: { page: 1, limit: 1 }, signal })),
  });
}

/** How many points, slaves, ports and others differ between two versions, which never change. */
export function countQuery(deviceId: number, before: string, after: string) {
  return queryOptions({
    queryKey: ['points', deviceId, 'count', before, after],
    queryFn: async ({ signal }) => {
      const { counts } = await call(
        sdk.compareConfigurations({
          path: { device_id: deviceId },
          query: { from: before, to: after, limit: 0 },
          signal,
        }),
      );
      const rows = [counts.points, counts.slaves, counts.ports, counts.scripts];
      return rows.reduce((sum, { added, removed, changed }) => sum + added + removed + changed, counts.other);
    },
    staleTime: Infinity,
  });
}

/** Templates that the slaves of a gateway use. */
export function linksQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['points', deviceId, 'templates'],
    queryFn: async ({ signal }) =>
      (await call(sdk.listDeviceTemplates({ path: { device_id: deviceId }, signal }))).rows,
  });
}

const OVERRIDES_AT_ONCE = 100;

/** All that a slave's points have otherwise than its template. */
export function overridesQuery(deviceId: number, slave: string) {
  return queryOptions({
    queryKey: ['points', deviceId, 'overrides', slave],
    queryFn: async ({ signal }): Promise<readonly Override[]> => {
      const overrides: Override[] = [];
      for (let page = 1; ; page++) {
        // Each page is asked for after the one before it.
        // oxlint-disable-next-line no-await-in-loop
        const { rows, total } = await call(
          sdk.listTemplateOverrides({
            path: { device_id: deviceId },
            query: { slave, page, limit: OVERRIDES_AT_ONCE },
            signal,
          }),
        );
        overrides.push(...rows);
        if (rows.length === 0 || overrides.length >= total) return overrides;
      }
    },
  });
}

export const detachTemplate = (deviceId: number, slave: string, points: readonly string[] | null): Promise<unknown> =>
  call(
    sdk.detachTemplate({
      path: { device_id: deviceId },
      body: { slave, points: points === null ? null : [...points] },
    }),
  );
export const attachTemplate = (deviceId: number, { slave, template_id, version, own }: GatewayLink): Promise<unknown> =>
  call(sdk.attachTemplate({ path: { device_id: deviceId }, body: { slave, template_id, version, own } }));

export async function savePoints(deviceId: number, body: PointBatchBody): Promise<Saved> {
  return call(sdk.savePoints({ path: { device_id: deviceId }, body }));
}

export async function savePort(deviceId: number, was: string | null, values: PortValues): Promise<Saved> {
  if (was === null) return call(sdk.addPort({ path: { device_id: deviceId }, body: values }));
  return call(sdk.changePort({ path: { device_id: deviceId, port_name: was }, body: values }));
}

export async function saveSlave(deviceId: number, was: string | null, values: SlaveValues): Promise<Saved> {
  if (was === null) return call(sdk.addSlave({ path: { device_id: deviceId }, body: values }));
  return call(sdk.changeSlave({ path: { device_id: deviceId, slave_name: was }, body: values }));
}

export async function saveSlaves(deviceId: number, body: SlaveBatchBody): Promise<Saved> {
  return call(sdk.saveSlaves({ path: { device_id: deviceId }, body }));
}

export async function deletePort(deviceId: number, name: string): Promise<Saved> {
  return call(sdk.deletePort({ path: { device_id: deviceId, port_name: name }, query: { cascade: true } }));
}

export async function deleteSlave(deviceId: number, name: string): Promise<Saved> {
  return call(sdk.deleteSlave({ path: { device_id: deviceId, slave_name: name }, query: { cascade: true } }));
}

export async function readPoints(deviceId: number, slave: string, points: string[]): Promise<readonly PointRead[]> {
  return (await call(sdk.readPoints({ path: { device_id: deviceId }, body: { slave, points } }))).rows;
}

/** Scripts of calculated points. */
export function scriptsQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['points', deviceId, 'scripts'],
    queryFn: ({ signal }) => call(sdk.listScripts({ path: { device_id: deviceId }, signal })),
  });
}

export async function saveScript(
  deviceId: number,
  was: string | null,
  script: ScriptFields,
  base: string | null,
): Promise<Saved> {
  if (was === null) return call(sdk.addScript({ path: { device_id: deviceId }, body: { script, base } }));
  return call(sdk.changeScript({ path: { device_id: deviceId, script_name: was }, body: { script, base } }));
}

export async function deleteScript(deviceId: number, name: string): Promise<Saved> {
  return call(sdk.deleteScript({ path: { device_id: deviceId, script_name: name } }));
}

/** Run once on the gateway; waited for. */
export async function tryScript(deviceId: number, body: TryBody): Promise<CommandStatus> {
  return call(sdk.tryScript({ path: { device_id: deviceId }, body }));
}

/** Newest values of a gateway's points by "slave.point"; null: there is none. */
export async function currentValues(deviceId: number): Promise<ReadonlyMap<string, unknown>> {
  const query = { device_id: deviceId };
  const [sources, values] = await Promise.all([
    call(sdk.listDataSources({ query })),
    call(sdk.getLastValues({ query })),
  ]);
  const byId = new Map(values.rows.map(({ dsid, value }) => [dsid, value]));
  return new Map(sources.rows.map(({ dsid, slave, ds_name }) => [`${slave}.${ds_name}`, byId.get(dsid) ?? null]));
}

/** The newest commands of a gateway: one call tells of all reads. */
export async function newestCommands(deviceId: number): Promise<readonly CommandStatus[]> {
  return (await call(sdk.listCommands({ query: { device_id: deviceId, page: 1, limit: NEWEST_COMMANDS } as never })))
    .rows;
}

/** The workbook of a gateway's slaves and points, as a file to save. */
export async function exportSlaves(deviceId: number, language: 'zh' | 'en'): Promise<Blob> {
  const { data, error, response } = await sdk.exportSlaves({
    path: { device_id: deviceId },
    query: { language },
    parseAs: 'blob',
  });
  if ((data as unknown) instanceof Blob) return data as unknown as Blob;
  await call(Promise.resolve({ error, response }));
  throw new Error('the export is no file');
}

export function presetsQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['device', deviceId, 'presets'],
    queryFn: async ({ signal }) => (await call(sdk.listPresets({ path: { device_id: deviceId }, signal }))).rows,
    meta: { errorInPlace: true },
  });
}
