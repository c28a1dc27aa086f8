import type {
  AlarmRow,
  GetAlarmCountsData,
  GetAlarmCountsResponse,
  GetAlarmData,
  GetAlarmNotificationData,
  GetAlarmNotificationResponse,
  GetAlarmResponse,
  ListSuppressionsData,
  ListSuppressionsResponse,
  SuppressionRow,
} from '@/api/generated/types.gen';
import { answer } from './network';

/** An alarm that stands, changed where a test says so. */
export function alarm(changes: Partial<AlarmRow> = {}): AlarmRow {
  return {
    id: 1,
    at: Date.now() - 60_000,
    alarm_type: 1,
    level: null,
    shown: 'danger',
    status: 0,
    device_id: 5,
    device_title: 'Boiler house',
    gateway_id: 'gw-5',
    slave: 'boiler',
    slave_title: 'Boiler',
    dsid: 11,
    title: 'Pressure too high',
    cause: '',
    value: 2.71449,
    point: { data_type: 'float32', decimals: 2, unit: 'bar' } as AlarmRow['point'],
    since_ms: Date.now() - 60_000,
    recovered_ms: null,
    handled_by: null,
    handled_name: '',
    handled_ms: null,
    note: '',
    rule_id: null,
    reason: null,
    state: 'unacknowledged',
    quiet: '',
    latched: false,
    acked_ms: null,
    acked_name: '',
    parent_id: null,
    children: 0,
    ...changes,
  };
}

/** A rule that is shelved at a gateway for years. */
export const SHELVED: SuppressionRow = {
  id: 4,
  kind: 'shelved',
  device_id: 5,
  device_title: 'Boiler house',
  gateway_id: 'gw-5',
  rule_id: 8,
  title: 'Too hot',
  reason: 'pump is being repaired',
  user_name: 'Li',
  begin_ms: 1,
  until_ms: 2_000_000_000_000,
  alarms: 1,
};

/** Who was told of any alarm. */
export function notified(changes: Partial<NonNullable<GetAlarmNotificationResponse['data']>> = {}): void {
  answer<GetAlarmNotificationData, GetAlarmNotificationResponse>('get', '/api/v1/notification/alarm/{event_id}', {
    reached: 0,
    waiting: 0,
    problem: '',
    deliveries: [],
    ...changes,
  });
}

/** What the pages of alarms and of a device ask beside their lists: nothing is quiet, and nothing has happened. */
export function nothingElse(): void {
  notified();
  // First: its path has room for that of the counts, and the last answer counts.
  answer<GetAlarmData, GetAlarmResponse>('get', '/api/v1/event/alarmlog/{event_id}', {
    alarm: alarm({ dsid: null }),
    suppressions: [],
    changes: [],
  });
  answer<GetAlarmCountsData, GetAlarmCountsResponse>('get', '/api/v1/event/alarmlog/counts', {
    active: 0,
    unhandled: 0,
    states: {},
    levels: {},
    suppressions: {},
    new: 0,
    flood: false,
  });
  answer<ListSuppressionsData, ListSuppressionsResponse>('get', '/api/v1/event/suppression', { rows: [], total: 0 });
}
