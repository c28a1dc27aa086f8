import { queryOptions } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  BatchRow,
  BindCode,
  Bound,
  DataSource,
  DeviceAccess,
  DeviceBody,
  DeviceDetail,
  DeviceImpact,
  DeviceRow,
  LastValue,
  NewDevice,
  PortBody,
  Share,
  SlaveBody,
} from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { ListRequest, Page } from '@/components/resource/resource';
import type { Choice } from '@/components/AsyncPicker';
import { EXPIRY_AHEAD_DAYS } from '@/lib/expiry';
import { serverNow } from '@/lib/serverClock';
import { beginOf, dayOf } from './draft';
import { readyValue } from './wizardSlaves';

export type {
  BatchRow,
  BindCode,
  Bound,
  DataSource,
  DeviceAccess,
  DeviceBody,
  DeviceDetail,
  DeviceImpact,
  DeviceRow,
  NewDevice,
  Share,
};

const CHOICES = 20;
const DAY_MS = 86_400_000;
/** Protocol codes that something serves; a gateway that has another one keeps and shows it. */
export const PROTOCOLS = ['1', '3'] as const;
export const GATEWAY_TYPES = ['1', '2', '3'] as const;
export const MODBUS_TYPES = ['1', '2'] as const;

type DeviceQuery = NonNullable<Parameters<typeof sdk.listDevices>[0]>['query'];

/** Of the address: what the cloud is asked for. */
export function wanted(filters: Readonly<Record<string, string | undefined>>, now: number): DeviceQuery {
  const number = (text: string | undefined): number | undefined =>
    text === undefined || text === '' ? undefined : Number(text);
  const begin = beginOf(dayOf(now)) ?? now;
  // What is due today has expired: everything before tomorrow.
  const days = filters.expiry === 'expired' ? 1 : filters.expiry === 'soon' ? EXPIRY_AHEAD_DAYS + 1 : null;
  return {
    search: filters.search || undefined,
    status: filters.status || undefined,
    project_id: number(filters.project),
    product_id: number(filters.product),
    protocol: number(filters.protocol),
    gateway_type: number(filters.type),
    model: filters.model || undefined,
    expires_before_ms: days === null ? undefined : begin + days * DAY_MS,
    bound: filters.bound === undefined || filters.bound === '' ? undefined : filters.bound === '1',
  };
}

export function loadDevices(
  { page, limit, sortBy, filters }: ListRequest,
  signal: AbortSignal,
): Promise<Page<DeviceRow>> {
  return call(sdk.listDevices({ query: { ...wanted(filters, serverNow()), page, limit, sort: sortBy }, signal }));
}

export function deviceQuery(id: number) {
  return queryOptions({
    queryKey: ['device', id],
    queryFn: ({ signal }) => call(sdk.getDevice({ path: { device_id: id }, signal })),
  });
}

export function impactQuery(id: number) {
  return queryOptions({
    queryKey: ['device', id, 'impact'],
    queryFn: ({ signal }) => call(sdk.getDeviceImpact({ path: { device_id: id }, signal })),
    gcTime: 0,
  });
}

export function createDevice(gatewayId: string, body: DeviceBody, copyOf: number | null = null): Promise<NewDevice> {
  return call(sdk.createDevice({ body: { ...body, gateway_id: gatewayId.trim(), copy_of: copyOf } }));
}

export function changeDevice(id: number, body: DeviceBody): Promise<DeviceDetail> {
  return call(sdk.changeDevice({ path: { device_id: id }, body }));
}

export async function changeDevices(ids: readonly number[], fields: DeviceBody): Promise<readonly BatchRow[]> {
  return (await call(sdk.changeDevices({ body: { update: { ids: [...ids], fields } } }))).rows;
}

/** Give several devices back what a batch changed; who was changed by somebody since is left out. */
export async function putBackDevices(rows: readonly BatchRow[], given: DeviceBody): Promise<readonly BatchRow[]> {
  const back = rows
    .filter((row) => row.state === 'changed')
    .map(({ id, before }) => ({
      device_id: id,
      fields: before as DeviceBody,
      now: Object.fromEntries(Object.entries(given).filter(([name]) => name in before)) as DeviceBody,
    }));
  return (await call(sdk.changeDevices({ body: { back } }))).rows;
}

export async function deleteDevice(id: number): Promise<void> {
  await call(sdk.deleteDevice({ path: { device_id: id } }));
}

export function resetStatus(id: number, status: 'normal' | 'offline'): Promise<DeviceDetail> {
  return call(sdk.resetDeviceStatus({ path: { device_id: id }, body: { status } }));
}

export async function putAccessPassword(id: number, password: string): Promise<void> {
  await call(sdk.putAccessPassword({ path: { device_id: id }, body: { password } }));
}

export function bindCodeQuery(id: number) {
  return queryOptions({
    queryKey: ['bindcode', id],
    queryFn: ({ signal }) => call(sdk.getBindCode({ path: { device_id: id }, signal })),
  });
}

export function bindDevice(code: string, title: string): Promise<Bound> {
  return call(sdk.bindDevice({ body: { code, title } }));
}

export function sharesQuery(id: number) {
  return queryOptions({
    queryKey: ['shares', id],
    queryFn: async ({ signal }) => (await call(sdk.listShares({ path: { device_id: id }, signal }))).rows,
  });
}

export function putShare(id: number, userName: string, role: 'owner' | 'visitor', writes: boolean): Promise<Share> {
  return call(sdk.putShare({ path: { device_id: id }, body: { user_name: userName, role, writes } }));
}

export async function deleteShare(id: number, userId: number): Promise<void> {
  await call(sdk.deleteShare({ path: { device_id: id, user_id: userId } }));
}

/** Gives up the own share, or the gateway itself. */
export async function leaveDevice(id: number): Promise<void> {
  await call(sdk.leaveDevice({ path: { device_id: id } }));
}

export function giveDevice(id: number, userId: number): Promise<DeviceAccess> {
  return call(sdk.changeOwner({ path: { device_id: id }, body: { user_id: userId } }));
}

/** Has a gateway that the user sees this serial number? Of others the cloud tells when it is made. */
export async function isTaken(gatewayId: string): Promise<boolean> {
  const { rows } = await call(sdk.listDevices({ query: { search: gatewayId, page: 1, limit: CHOICES } }));
  return rows.some((row) => row.gateway_id === gatewayId);
}

/** What a gateway runs, what waits as a draft, and what is on its way to it. */
export function configurationStateQuery(id: number, refetch_ms: number) {
  return queryOptions({
    queryKey: ['configuration', id, 'state'],
    queryFn: ({ signal }) =>
      call(sdk.getConfiguration({ path: { device_id: id }, query: { page: 1, limit: 1 }, signal })),
    refetchInterval: refetch_ms,
    gcTime: 0,
  });
}

/** What the gateway said of a deployment that has ended. */
export function endedDeploymentQuery(deploymentId: string) {
  return queryOptions({
    queryKey: ['deployment', deploymentId, 'ended'],
    queryFn: ({ signal }) => call(sdk.getDeployment({ path: { deployment_id: deploymentId }, signal })),
  });
}

export async function deployDraft(id: number): Promise<void> {
  await call(sdk.deployDraft({ path: { device_id: id } }));
}

/** Points of a gateway and the newest value of each: has it begun to talk? */
export function firstValuesQuery(id: number, refetch_ms: number) {
  return queryOptions({
    queryKey: ['firstvalues', id],
    queryFn: async ({ signal }): Promise<{ points: readonly DataSource[]; values: readonly LastValue[] }> => {
      const [points, values] = await Promise.all([
        call(sdk.listDataSources({ query: { device_id: id }, signal })),
        call(sdk.getLastValues({ query: { device_id: id }, signal })),
      ]);
      return { points: points.rows, values: values.rows };
    },
    refetchInterval: refetch_ms,
    gcTime: 0,
  });
}

/** Lists that hold gateways, and the tree that counts them, are asked for again. */
export function renewDevices(cache: QueryClient): void {
  void cache.invalidateQueries({ queryKey: ['devices'] });
  void cache.invalidateQueries({ queryKey: ['project'] });
}

export const projectsQuery = queryOptions({
  queryKey: ['project'],
  queryFn: ({ signal }) => call(sdk.listProjects({ signal })),
  staleTime: 30_000,
});

/** Projects, which hold gateways; groups are only on the way to them. */
export async function findProjects(search: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const { nodes } = await call(sdk.listProjects({ signal }));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const matches = nodes.filter(
    ({ kind, title }) => kind === 'project' && title.toLowerCase().includes(search.toLowerCase()),
  );
  return matches
    .slice(0, CHOICES)
    .map(({ id, title, parent_id }) => ({ value: String(id), label: title, note: byId.get(parent_id ?? 0)?.title }));
}

export async function findProducts(search: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const { rows } = await call(
    sdk.listProducts({ query: { search: search || undefined, page: 1, limit: CHOICES }, signal }),
  );
  return rows.map(({ id, name, product_id }) => ({ value: String(id), label: name, note: product_id }));
}

/** Templates of a kind that the user sees, with a version to use. */
export async function findTemplates(
  category: 'point' | 'gateway',
  search: string,
  signal: AbortSignal,
): Promise<readonly Choice[]> {
  const { rows } = await call(sdk.listTemplates({ query: { category }, signal }));
  const matches = rows.filter(
    ({ kind, newest, title }) =>
      kind === 'template' && newest > 0 && title.toLowerCase().includes(search.toLowerCase()),
  );
  return matches
    .slice(0, CHOICES)
    .map(({ template_id, title, protocol }) => ({ value: String(template_id), label: title, note: protocol }));
}

/** Protocols as the gateway describes them. The same data as the editor of points keeps. */
export const protocolsQuery = queryOptions({
  queryKey: ['protocols'],
  queryFn: async ({ signal }) => (await call(sdk.listProtocols({ signal }))).rows,
  staleTime: Infinity,
});

/** Point templates, those of the protocol first, and the ready ones that the platform has. */
export async function findPointTemplates(
  search: string,
  language: 'zh' | 'en',
  protocol: string,
  signal: AbortSignal,
): Promise<readonly Choice[]> {
  const wanted = search.toLowerCase();
  const [own, ready] = await Promise.all([
    findTemplates('point', search, signal),
    call(sdk.listReadyTemplates({ signal })),
  ]);
  const titles = new Set(own.map(({ label, note }) => `${note}/${label}`));
  const offered = ready.rows
    .map((each) => ({ value: readyValue(each.name), label: each[language], note: each.protocol }))
    .filter(({ label, note }) => label.toLowerCase().includes(wanted) && !titles.has(`${note}/${label}`));
  return [...own, ...offered].toSorted((a, b) => Number(b.note === protocol) - Number(a.note === protocol));
}

/** The user's template of a ready one: the one that is there under its title, else a new one. */
export async function templateOfReady(
  name: string,
  { label, note = '' }: Choice,
  language: 'zh' | 'en',
): Promise<number> {
  const { rows } = await call(sdk.listTemplates({ query: { category: 'point' } }));
  const match = rows.find(
    ({ kind, newest, title, protocol }) => kind === 'template' && newest > 0 && title === label && protocol === note,
  );
  if (match !== undefined) return match.template_id;
  const made = await call(
    sdk.createTemplate({ body: { category: 'point', title: label, source: { ready: name, language } } }),
  );
  return made.template_id;
}

/** Where a new gateway finds the broker. */
export const brokerQuery = queryOptions({
  queryKey: ['device', 'broker'],
  queryFn: ({ signal }) => call(sdk.getGatewayBroker({ signal })),
  staleTime: Infinity,
});

/** Ports, slaves and points of a template come into the gateway's draft. */
export async function putGatewayTemplate(id: number, templateId: number): Promise<void> {
  await call(sdk.instantiateTemplate({ path: { device_id: id }, body: { gateway_template_id: templateId } }));
}

/** The points of a template come into a slave of the draft. */
export async function putPointTemplate(id: number, slave: string, templateId: number): Promise<void> {
  await call(sdk.putPointTemplate({ path: { device_id: id }, body: { slave, point_template_id: templateId } }));
}

type Fields = Readonly<Record<string, unknown>>;

/** Ports, and slaves with the number of their points, by name. */
export interface DraftRows {
  ports: ReadonlyMap<string, Fields>;
  slaves: ReadonlyMap<string, { fields: Fields; points: number }>;
}

/** Ports and slaves that are in the gateway's draft. */
export async function draftRows(id: number): Promise<DraftRows> {
  const path = { device_id: id };
  const [ports, slaves] = await Promise.all([call(sdk.listPorts({ path })), call(sdk.listSlaves({ path }))]);
  return {
    ports: new Map(ports.rows.map(({ fields }) => [String(fields.name), fields])),
    slaves: new Map(slaves.rows.map(({ fields, points }) => [String(fields.name), { fields, points }])),
  };
}

/** The same, looked at anew whenever it is shown. */
export function draftRowsQuery(id: number) {
  return queryOptions({ queryKey: ['device', id, 'rows'], queryFn: () => draftRows(id) });
}

export async function addPort(id: number, body: PortBody): Promise<void> {
  await call(sdk.addPort({ path: { device_id: id }, body }));
}

export async function addSlave(id: number, body: SlaveBody): Promise<void> {
  await call(sdk.addSlave({ path: { device_id: id }, body }));
}
