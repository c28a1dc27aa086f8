import type {
  CheckConfigurationData,
  CheckConfigurationResponse,
  FieldbusReport,
  GetConfigurationData,
  GetConfigurationResponse,
  GetFieldbusReportData,
  GetFieldbusReportResponse,
  GetInternalSlaveData,
  GetInternalSlaveResponse,
  GetLoopWritesData,
  GetLoopWritesResponse,
  ListPointsData,
  ListPointsResponse,
  ListPortsData,
  ListPortsResponse,
  ListProtocolsData,
  ListProtocolsResponse,
  ListSlavesData,
  ListSlavesResponse,
  PutInternalSlaveData,
  PutInternalSlaveResponse,
  PutLoopWritesData,
  PutLoopWritesResponse,
} from '@/api/generated/types.gen';
import { answer } from './network';
import type { Call } from './network';

export const MAY = ['Monitor.DeviceMonitor', 'DeviceManage'];
export const HASH = 'a'.repeat(64);
export const T = Date.UTC(2026, 10, 27, 8, 30);

type Row = Record<string, unknown>;

export interface Kept {
  slave: Row | null;
  points: Row[];
  tasks: Row[];
}

interface Site {
  changeable?: boolean;
  report?: Partial<FieldbusReport>;
  /** What the gateway refuses of a version. */
  faults?: { field: string; rule: string }[];
}

export interface Served {
  slave: Call[];
  tasks: Call[];
}

/** A gateway with both sections in its draft; what is saved is read again. */
export function serve(kept: Partial<Kept>, { changeable = true, report = {}, faults = [] }: Site = {}): Served {
  const now: Kept = { slave: null, points: [], tasks: [], ...kept };
  const head = { base: HASH, changeable };
  const device = '/api/v1/device/{device_id}' as const;
  answer<GetInternalSlaveData, GetInternalSlaveResponse>('get', `${device}/internal-slave`, () => ({
    ...head,
    internal_slave: now.slave,
    points: now.points,
  }));
  answer<GetLoopWritesData, GetLoopWritesResponse>('get', `${device}/loop-write`, () => ({
    ...head,
    tasks: now.tasks,
  }));
  answer<GetFieldbusReportData, GetFieldbusReportResponse>('get', `${device}/fieldbus`, {
    reported_ms: 0,
    internal_slave: null,
    loop_writes: [],
    ...report,
  });
  answer<GetConfigurationData, GetConfigurationResponse>('get', `${device}/configuration`, {
    draft: { hash: HASH },
  } as never);
  answer<CheckConfigurationData, CheckConfigurationResponse>('post', `${device}/configuration/check`, {
    state: faults.length === 0 ? 'validated' : 'refused',
    faults,
  } as never);
  answer<ListPointsData, ListPointsResponse>('get', `${device}/point`, {
    ...head,
    faults: [],
    rows: [
      { slave: 'plc', ds_name: 'level', ds_title: 'Level', data_type: 'int16', ratio: 0.1, rw: 'readwrite' },
      { slave: 'plc', ds_name: 'flow', ds_title: 'Flow', data_type: 'float' },
      { slave: 'plc', ds_name: 'pump', ds_type: 'swh', rw: 'readwrite' },
    ],
  });
  answer<ListSlavesData, ListSlavesResponse>('get', `${device}/slavedevice`, {
    ...head,
    faults: [],
    rows: [
      { fields: { name: 'plc', port: 'com1', protocol: 'registers', address: '3' }, points: 3 },
      { fields: { name: 'press', port: 'lan', protocol: 'blocks', address: '1' }, points: 0 },
    ],
  });
  answer<ListPortsData, ListPortsResponse>('get', `${device}/port`, {
    ...head,
    faults: [],
    rows: [
      { fields: { name: 'com1', type: 'COM' }, slaves: 1 },
      { fields: { name: 'lan', type: 'NET' }, slaves: 1 },
    ],
  });
  answer<ListProtocolsData, ListProtocolsResponse>('get', '/api/v1/device/protocol', {
    rows: [
      { name: 'registers', address: [{ name: 'reg_type' }] },
      { name: 'blocks', address: [{ name: 'area' }] },
    ],
  } as never);
  return {
    slave: answer<PutInternalSlaveData, PutInternalSlaveResponse>('put', `${device}/internal-slave`, ({ body }) => {
      const { internal_slave: slave, points } = body as { internal_slave: Row | null; points: Row[] };
      Object.assign(now, { slave, points });
      return { base: HASH, faults: [] };
    }),
    tasks: answer<PutLoopWritesData, PutLoopWritesResponse>('put', `${device}/loop-write`, ({ body }) => {
      now.tasks = (body as { tasks: Row[] }).tasks;
      return { base: HASH, faults: [] };
    }),
  };
}
