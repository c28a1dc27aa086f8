import { queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  ChannelRow,
  ContactBody,
  ContactGroupBody,
  ContactGroupRow,
  ContactRow,
  DeliveryRow,
  GroupMember,
  UnreachedRow,
} from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { Choice } from '@/components/AsyncPicker';
import type { ListRequest, Page } from '@/components/resource/resource';
import type { AlarmLevel } from '@/lib/alarmTypes';

export type {
  ChannelRow,
  ContactBody,
  ContactGroupBody,
  ContactGroupRow,
  ContactRow,
  DeliveryRow,
  GroupMember,
  UnreachedRow,
};

export type ContactChannel = 'email' | 'sms' | 'voice' | 'wechat';
export type RobotKind = 'webhook' | 'dingtalk' | 'feishu';
export type ChannelName = ContactChannel | RobotKind;

export const CONTACT_CHANNELS: readonly ContactChannel[] = ['email', 'sms', 'voice', 'wechat'];
export const ROBOT_KINDS: readonly RobotKind[] = ['webhook', 'dingtalk', 'feishu'];
export const STATES = ['queued', 'held', 'sent', 'failed', 'dropped'] as const;

export const CONTACTS = ['contact'] as const;
export const GROUPS = ['contactGroup'] as const;
export const DELIVERIES = ['notification'] as const;
const MAX_RESULTS = 20;
const UNREACHED_MS = 60_000;
const OUTCOME_MS = 1000;

export function loadContacts({ filters, page, limit }: ListRequest, signal: AbortSignal): Promise<Page<ContactRow>> {
  return call(sdk.listContacts({ query: { search: filters.search || undefined, page, limit }, signal }));
}

export async function findContacts(search: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const query = { search: search || undefined, page: 1, limit: MAX_RESULTS };
  const { rows } = await call(sdk.listContacts({ query, signal }));
  return rows.map(({ id, name }) => ({ value: String(id), label: name }));
}

export function createContact(body: ContactBody): Promise<ContactRow> {
  return call(sdk.createContact({ body }));
}

export function changeContact(id: number, body: ContactBody): Promise<ContactRow> {
  return call(sdk.changeContact({ path: { contact_id: id }, body }));
}

export async function deleteContact(id: number): Promise<void> {
  await call(sdk.deleteContact({ path: { contact_id: id } }));
}

export function loadGroups({ filters, page, limit }: ListRequest, signal: AbortSignal): Promise<Page<ContactGroupRow>> {
  return call(sdk.listContactGroups({ query: { search: filters.search || undefined, page, limit }, signal }));
}

export function createGroup(body: ContactGroupBody): Promise<ContactGroupRow> {
  return call(sdk.createContactGroup({ body }));
}

export function changeGroup(id: number, body: ContactGroupBody): Promise<ContactGroupRow> {
  return call(sdk.changeContactGroup({ path: { contact_group_id: id }, body }));
}

export async function deleteGroup(id: number): Promise<void> {
  await call(sdk.deleteContactGroup({ path: { contact_group_id: id } }));
}

export function loadDeliveries({ filters, page, limit }: ListRequest, signal: AbortSignal): Promise<Page<DeliveryRow>> {
  const contact = Number(filters.contact);
  const query = {
    contact_id: Number.isInteger(contact) && contact > 0 ? contact : undefined,
    channel: [...CONTACT_CHANNELS, ...ROBOT_KINDS].find((each) => each === filters.channel),
    state: STATES.find((each) => each === filters.state),
    page,
    limit,
  };
  return call(sdk.listNotifications({ query, signal }));
}

/** Alarms of the last days that reached nobody; asked again each minute, for nothing pushes it. */
export const unreachedQuery = queryOptions({
  queryKey: [...DELIVERIES, 'unreached'],
  queryFn: async ({ signal }): Promise<readonly UnreachedRow[]> =>
    (await call(sdk.listUnreachedAlarms({ signal }))).rows,
  refetchInterval: UNREACHED_MS,
  meta: { errorInPlace: true },
});

export const channelsQuery = queryOptions({
  queryKey: ['notificationChannel'],
  queryFn: async ({ signal }): Promise<readonly ChannelRow[]> =>
    (await call(sdk.listNotificationChannels({ signal }))).rows,
  meta: { errorInPlace: true },
});

/** A message with what came of it so far; asked again until it has an end. */
export function deliveryQuery(id: number) {
  return queryOptions({
    queryKey: [...DELIVERIES, 'one', id],
    queryFn: ({ signal }): Promise<DeliveryRow> => call(sdk.getNotification({ path: { delivery_id: id }, signal })),
    refetchInterval: ({ state }) => (state.data === undefined || isOpen(state.data) ? OUTCOME_MS : false),
    meta: { errorInPlace: true },
  });
}

/** Will it be sent, or tried again? */
export function isOpen({ state }: Pick<DeliveryRow, 'state'>): boolean {
  return state === 'queued' || state === 'held';
}

/** Queued before all that waits; deliveryQuery says what came of it. */
export function testContact(id: number, channel: ContactChannel): Promise<DeliveryRow> {
  return call(sdk.testContact({ path: { contact_id: id }, body: { channel } }));
}

export function testGroup(id: number, channel: RobotKind): Promise<DeliveryRow> {
  return call(sdk.testContactGroup({ path: { contact_group_id: id }, body: { channel } }));
}

export const levelsQuery = queryOptions({
  queryKey: ['option', 'alarm_levels'],
  queryFn: async ({ signal }): Promise<readonly AlarmLevel[]> => {
    const option = await call(sdk.getOption({ query: { name: 'alarm_levels' }, signal }));
    return option.value as unknown as readonly AlarmLevel[];
  },
  meta: { errorInPlace: true },
});
