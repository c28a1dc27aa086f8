import type { TriggerRow } from './api';

interface Destination {
  path: string;
  search: Record<string, string | number>;
}

/** Where a trigger is changed: in its form, or at the point whose settings it says. */
export function editorOf({ id, origin }: TriggerRow): Destination {
  return origin === null
    ? { path: '/alarm/trigger/editTrigger', search: { id } }
    : {
        path: '/device/gateway/slavedevice',
        search: { device_id: origin.device_id, slave: origin.slave, group: 'alarm' },
      };
}
