import type { CommandStatus, DataSource, DeviceDetail, Slave } from '@/api/generated/types.gen';

/** A gateway that is connected, with one slave that answers. */
export function device(changes: Partial<DeviceDetail> = {}): DeviceDetail {
  const made: Partial<DeviceDetail> = {
    id: 1,
    gateway_id: 'gw-1',
    device_title: 'Boiler house',
    binder_devtitle: '',
    writes: true,
    role: 'owner',
    link: { online: true, since_ms: 0, reason: '' },
    last_ms: Date.now(),
    slaves: [slave()],
    access: { owner: null, role: 'owner', writes: true },
    ...changes,
  };
  return made as DeviceDetail;
}

export function slave(changes: Partial<Slave> = {}): Slave {
  return {
    id: 1,
    name: 'boiler',
    title: 'Boiler',
    protocol: 'modbus_tcp',
    port: 'net1',
    address: '1',
    online: true,
    last_good_ms: Date.now(),
    since_ms: null,
    reason: '',
    ...changes,
  };
}

/** A number that can be written, between 0 and 2 bar. */
export function source(changes: Partial<DataSource> = {}): DataSource {
  return {
    dsid: 11,
    ds_name: 'pressure_setpoint',
    ds_title: 'Pressure setpoint',
    ds_type: 'num',
    data_type: 'float32',
    unit: 'bar',
    decimals: 2,
    rw: 'readwrite',
    slave: 'boiler',
    slave_title: 'Boiler',
    record: 1,
    period_ms: 1_000,
    min: 0,
    max: 2,
    ...changes,
  };
}

/** A command that was taken and has not ended. */
export function command(changes: Partial<CommandStatus> = {}): CommandStatus {
  return {
    id: 'c1',
    status: 'create',
    device_id: 1,
    dsid: 11,
    action: 'W',
    value: 1.21,
    result_value: null,
    quality: null,
    latency_ms: null,
    code: '',
    detail: '',
    created_ms: Date.now(),
    sent_ms: null,
    finished_ms: null,
    user: 'tester',
    ...changes,
  };
}
