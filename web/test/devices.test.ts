import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { DeviceDetail } from '@/api/generated/types.gen';
import { batchBody, KEEP_ALL } from '@/features/devices/batch';
import { bindAddress, bindCodeOf, serialOf } from '@/features/devices/bindCode';
import {
  addressOf,
  beginOf,
  bodyOf,
  changesOf,
  copyOf,
  dayOf,
  draftOf,
  EMPTY,
  faultsOf,
  newBodyOf,
  NUMBERS,
  reachOf,
  SWITCHES,
} from '@/features/devices/draft';
import { deviceTitle } from '@/lib/deviceTitle';
import en from '@/features/devices/locales/en.json';
import zh from '@/features/devices/locales/zh.json';
import {
  arrivalOf,
  dropDraft,
  EMPTY_WIZARD,
  groundOf,
  isOvertaken,
  keepArrival,
  keepDraft,
  storedArrival,
  storedDraft,
  next,
  stageOf,
  stepOf,
  stepShowing,
} from '@/features/devices/wizard';

const device = {
  id: 7,
  gateway_id: 'gw-7',
  device_title: 'Pump',
  binder_devtitle: '',
  model: 'M1',
  imei: '86123456789012',
  iccid: '',
  device_province: '江苏省',
  device_city: '南京市',
  device_district: '',
  device_address: '1 号',
  device_floorroom: '2F',
  remark: '',
  protocol: 1,
  gateway_type: 3,
  modbus_type: 2,
  device_mst: 0,
  offline_alarm_delay_s: 10,
  collect_interval_s: null,
  report_interval_s: 60,
  slave_timeout_ms: null,
  gis_show: true,
  auto_position: false,
  offline_notify: false,
  offline_clear_data: true,
  low_power: false,
  scan_bind: true,
  project_id: 3,
  project_title: 'Plant',
  product_id: null,
  product_title: null,
  longitude: 118.8,
  latitude: 32.06,
  expire_ms: new Date(2030, 0, 2).getTime(),
} as unknown as DeviceDetail;

describe('form of a gateway', () => {
  it('holds what the cloud said, and sends only what is different', () => {
    const draft = draftOf(device);
    expect(changesOf(draft, draftOf(device))).toEqual({});
    expect(draft).toMatchObject({
      expire: '2030-01-02',
      report_interval_s: 60,
      collect_interval_s: '',
      modbus_type: '2',
      project: { value: '3', label: 'Plant' },
    });
    const changed = { ...draft, model: ' M2 ', report_interval_s: '', place: null, project: null, protocol: '3' };
    expect(changesOf(changed, draft)).toEqual({
      model: 'M2',
      report_interval_s: null,
      longitude: null,
      latitude: null,
      project_id: null,
      protocol: 3,
      modbus_type: null,
    });
  });

  it('sends both degrees of a place when one of them is another', () => {
    const draft = draftOf(device);
    expect(changesOf({ ...draft, place: { longitude: 118.8, latitude: 33 } }, draft)).toEqual({
      longitude: 118.8,
      latitude: 33,
    });
  });

  it('copies nothing that belongs to one gateway alone', () => {
    expect(copyOf(device, 'Pump copy')).toMatchObject({
      gateway_id: '',
      device_title: 'Pump copy',
      imei: '',
      expire: null,
      model: 'M1',
    });
  });

  it('leaves defaults of a new gateway to the cloud', () => {
    expect(newBodyOf({ ...EMPTY, gateway_id: 'gw-1', device_title: 'Fan' })).toEqual({ device_title: 'Fan' });
    expect(bodyOf(EMPTY)).toMatchObject({
      offline_clear_data: true,
      scan_bind: true,
      offline_alarm_delay_s: 10,
      gateway_type: 3,
    });
  });

  it.each([
    [{ gateway_id: 'a' }, 'gateway_id', 'gateway'],
    [{ gateway_id: '-abc' }, 'gateway_id', 'gateway'],
    [{ device_title: '  ' }, 'device_title', 'title'],
    [{ imei: '123' }, 'imei', 'imei'],
    [{ iccid: '8986' }, 'iccid', 'iccid'],
    [{ slave_timeout_ms: 9 }, 'slave_timeout_ms', 'range'],
    [{ collect_interval_s: 0.001 }, 'collect_interval_s', 'range'],
    [{ report_interval_s: 1.5 }, 'report_interval_s', 'range'],
    [{ low_power: true }, 'report_interval_s', 'saving'],
    [{ low_power: true, report_interval_s: 59 }, 'report_interval_s', 'saving'],
    [{ offline_alarm_delay_s: '' }, 'offline_alarm_delay_s', 'range'],
    [{ access_password: '12345' }, 'access_password', 'password'],
  ])('finds fault with %j', (change, field, fault) => {
    const good = { ...EMPTY, gateway_id: 'gw-1', device_title: 'Fan' };
    expect(faultsOf(good, true)).toEqual({});
    expect(faultsOf({ ...good, ...change }, true)).toEqual({ [field]: fault });
  });

  it('takes a day for its first moment here', () => {
    expect(dayOf(beginOf('2030-01-02'))).toBe('2030-01-02');
    expect(beginOf(null)).toBeNull();
  });

  it('names a gateway with its bound title, and its place in a line', () => {
    expect(deviceTitle({ device_title: 'Pump', binder_devtitle: 'Cooler' })).toBe('Pump (Cooler)');
    expect(deviceTitle(device)).toBe('Pump');
    expect(addressOf(device)).toBe('江苏省 南京市 1 号 2F');
    expect(addressOf({ ...device, device_province: '上海市', device_city: '上海市' })).toBe('上海市 1 号 2F');
  });
});

describe('several gateways', () => {
  it('get only what is not kept', () => {
    expect(batchBody(KEEP_ALL)).toEqual({});
    expect(
      batchBody({
        ...KEEP_ALL,
        model: ' M2 ',
        gis_show: 'off',
        low_power: 'on',
        device_mst: 0,
        project: { value: '4', label: 'x' },
      }),
    ).toEqual({
      model: 'M2',
      gis_show: false,
      low_power: true,
      device_mst: 0,
      project_id: 4,
    });
  });
});

describe('codes that are scanned', () => {
  it('are addresses of a portal, or the code itself', () => {
    const address = bindAddress('a-B_9', 'https://cloud.example');
    expect(bindCodeOf(address)).toBe('a-B_9');
    expect(bindCodeOf(' a-B_9 ')).toBe('a-B_9');
    expect([bindCodeOf(''), bindCodeOf('https://x.example/?code=a b'), bindCodeOf('no code')]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it('have the serial number alone or among others', () => {
    expect(serialOf(' gw-1 ')).toBe('gw-1');
    expect(serialOf('MODEL:X1;SN:gw-1;IMEI:86')).toBe('gw-1');
  });
});

describe('wizard', () => {
  it('keeps its draft over a reload, without the password', () => {
    const kept = new Map<string, string>();
    const store = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, text: string) => void kept.set(key, text),
      removeItem: (key: string) => void kept.delete(key),
    } as unknown as Storage;
    expect(storedDraft(store)).toEqual(EMPTY_WIZARD);
    keepDraft(store, { ...EMPTY_WIZARD, gateway_id: 'gw-1', access_password: 'secret1' });
    expect(storedDraft(store)).toEqual({ ...EMPTY_WIZARD, gateway_id: 'gw-1' });
    for (const key of kept.keys()) kept.set(key, '{');
    expect(storedDraft(store)).toEqual(EMPTY_WIZARD);
    dropDraft(store);
    expect(kept.size).toBe(0);
  });

  it('has five steps, and stays at its ends', () => {
    expect([stepOf(undefined), stepOf('x'), next('basic', 1), next('basic', -1), next('done', 1)]).toEqual([
      'basic',
      'basic',
      'points',
      'basic',
      'done',
    ]);
  });

  it('knows the step of each field that it shows', () => {
    expect(['gateway_id', 'slaves.0.port.host', 'gateway_template', 'project', 'imei'].map(stepShowing)).toEqual([
      'basic',
      'points',
      'gateway',
      'project',
      null,
    ]);
  });

  const reported = { hash: 'r', known: true };
  const chosen = { hash: 'a', behind: false };
  it.each([
    [false, { running: null, draft: chosen, deployment: null }, 0, 'away'],
    [false, { running: reported, draft: chosen, deployment: { state: 'staged', hash: 'a' } }, 0, 'underway'],
    [true, undefined, 0, 'unknown'],
    [true, { running: null, draft: chosen, deployment: null }, 0, 'unknown'],
    [
      true,
      { running: { hash: 'r', known: false }, draft: { hash: 'a', behind: true }, deployment: null },
      0,
      'unknown',
    ],
    [true, { running: reported, draft: { hash: 'a', behind: true }, deployment: null }, 0, 'behind'],
    [true, { running: reported, draft: chosen, deployment: null }, 0, 'draft'],
    [true, { running: reported, draft: chosen, deployment: { state: 'switched', hash: 'a' } }, 0, 'underway'],
    [true, { running: reported, draft: chosen, deployment: { state: 'reverted', hash: 'a' } }, 0, 'failed'],
    [true, { running: reported, draft: chosen, deployment: { state: 'reverted', hash: 'b' } }, 0, 'draft'],
    [true, { running: reported, draft: null, deployment: { state: 'confirmed', hash: 'a' } }, 3, 'deployed'],
    [true, { running: reported, draft: null, deployment: null }, 0, 'empty'],
  ] as const)(
    'says where the configuration of a new gateway stands: online %s, %j, %i points',
    (online, standing, points, stage) => {
      expect(stageOf(online, standing, points)).toBe(stage);
    },
  );

  it('tries again what was refused for what ran then, once that is something else', () => {
    const before = groundOf({ running: { hash: 'r' }, draft: { hash: 'a', base: null } });
    const after = groundOf({ running: { hash: 'r' }, draft: { hash: 'b', base: 'r' } });
    expect([isOvertaken('deploy.local_edit', before, before), isOvertaken('deploy.local_edit', before, after)]).toEqual(
      [false, true],
    );
    expect([isOvertaken('deploy.link_lost', before, after), isOvertaken('', undefined, after)]).toEqual([false, false]);
    expect(groundOf(undefined)).toBe(groundOf({ running: null, draft: null }));
  });

  it('keeps when the gateway came at first', () => {
    const kept = new Map<string, string>();
    const store = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, text: string) => void kept.set(key, text),
    } as unknown as Storage;
    expect(storedArrival(store, 7)).toBeNull();
    keepArrival(store, 7, 6);
    expect([storedArrival(store, 7), storedArrival(store, 8)]).toEqual([6, null]);
    for (const key of kept.keys()) kept.set(key, '7');
    expect(storedArrival(store, 7)).toBeNull();
  });

  it('counts from the making of a gateway to its first connection', () => {
    const made = { created_ms: 1000, link: { online: false, since_ms: null as number | null } };
    expect(arrivalOf(made, 0, [])).toEqual({ online_s: null, read: 0, points: 0 });
    made.link = { online: true, since_ms: 13_400 };
    expect(arrivalOf(made, 3, [{ quality: 0 }, { quality: 1 }])).toEqual({ online_s: 12, read: 1, points: 3 });
  });
});

it('sheets and forms call a field by the same word', () => {
  const sheet = readFileSync(new URL('../../cloud/cloud/domains/sheets/columns.csv', import.meta.url), 'utf8')
    .split('\n')
    .map((line) => line.split(','));
  for (const name of [...NUMBERS, ...SWITCHES, 'binder_devtitle', 'model', 'gateway_type'] as const) {
    const words = [zh, en].map(({ field, batch }) => (name === 'auto_position' ? batch.auto_position : field[name]));
    // A cell holds seconds, a form's field says its unit with the number.
    const heads = sheet.find(([of, field]) => of === 'devices' && field === name)?.slice(3, 5);
    expect(name.endsWith('interval_s') ? heads?.map((head) => head.replace(/（秒）| \(s\)/, '')) : heads).toEqual(
      words,
    );
  }
});

it('counts the ports on which the collection interval acts', () => {
  const ports = new Map<string, Record<string, unknown>>([
    ['com1', { capture_cycle_ms: 30_000 }],
    ['net1', { type: 'NET' }],
    ['net2', {}],
  ]);
  expect(reachOf({ ports })).toEqual({ ports: 3, reached: 2 });
  expect(reachOf({ ports: new Map([['com1', { capture_cycle_ms: 1000 }]]) })).toEqual({ ports: 1, reached: 0 });
  expect(reachOf(undefined)).toEqual({ ports: 0, reached: 0 });
});
