import { expect, test } from 'vitest';
import { screens } from '@/app/manifest';
import { pending } from '@/app/pending';
import { SECTION_IDS } from '@/app/sectionIds';
import { sections } from '@/app/sections';
import { codesOf, landingPath, mayOpen, menuOf, NO_FLAGS, screenAt } from '@/lib/screens';
import type { Access } from '@/lib/screens';
import { ANNOUNCED } from './matrix';

/** Screens announced and not built. It only falls. */
const PENDING = 32;

/** Every address of the specification, as it is written there and joined to its group. */
const ADDRESSES = `
/login /401 /404 /dashboard/index
/monitorScreen/screen /monitorScreen/deviceDetail /monitorScreen/data-1 /monitorScreen/data-2 /monitorScreen/scada-1
/monitorScreen/scada-2 /monitorScreen/scada-3 /monitorScreen/map-1 /monitorScreen/map-2 /monitorScreen/map-3
/monitorScreen/map-1/deviceDetail /monitorScreen/map-2/deviceDetail /monitorScreen/map-3/deviceDetail
/screen/custom /screen/list /screen/store /screen/config /screen/gis /gisScreen/screen
/scada/app /scada/template /flow-link
/monitor/device /monitor/list /monitor/deviceMap /monitor/deviceLocation /deviceLocation
/alarm/alarmlog /alarm/onOffline /alarm/trigger/contact /alarm/trigger /alarm/trigger/addTrigger /alarm/trigger/editTrigger
/trigger/contact /trigger /trigger/addTrigger /trigger/editTrigger
/dataCenter/hisData /dataCenter/energyAnalyze /dataCenter/dataReport /dataCenter/dataReportV2 /dataCenter/algorithmAnalyze
/dataCenter/statisticalReport /dataCenter/fileDownload
/hisData /energyAnalyze /dataReport /dataReportV2 /algorithmAnalyze /statisticalReport /fileDownload
/group/index /group/assignment
/device/deviceManage /device/addDevice /device/ptdevice/slavedevice /device/gateway/slavedevice /device/template
/device/slaveDeviceTemplate /device/deviceVcom /device/plcDownload /device/deviceTask /deviceDetail/index
/ota/project /ota/device /ota/sim /ota/firmware /ota/app /ota/log /ota/strace
/camera/index
/user/authuser /user/registerUser /user/authgroup /user/authrule /user/loginLog /user/me /user/customize
/maintenance/plan /maintenance/fault /maintenance/workOrder /maintenance/myWorkOrder
/lawEnforcement/createRecord /lawEnforcement/workOrder /lawEnforcement/myWorkOrder
/fee/overview /fee/orderList
/other/timedTask /other/dataExchange /other/platform /other/graphLib /other/deviceAccount /other/product
/other/thirdPartyService /other/appKey /other/systemSetting
/timedTask /dataExchange /platform /graphLib /deviceAccount /product /thirdPartyService /appKey /systemSetting
`
  .trim()
  .split(/\s+/);

test.each(ADDRESSES)('%s is a screen', (address) => {
  expect(screenAt(address)).toBeDefined();
});

test('addresses are different ones, sections exist, and every screen inside states its permission', () => {
  const all = screens.flatMap(({ path, aliases }) => [path, ...(aliases ?? [])]);
  expect(all.filter((path, at) => all.indexOf(path) !== at)).toEqual([]);
  for (const screen of screens) {
    expect(screen.layout === 'public' || screen.permission !== undefined, screen.path).toBe(true);
    if (screen.section !== undefined)
      expect(
        sections.map(({ id }) => id),
        screen.path,
      ).toContain(screen.section);
  }
});

test('every group of the menu has its words and icon, in the order of the list', () => {
  expect(sections.map(({ id }) => id)).toEqual([...SECTION_IDS]);
});

test('what is still to be built becomes less', () => {
  expect(pending).toHaveLength(PENDING);
});

const everything = [...new Set(screens.flatMap(codesOf))];
const SHOWN = { ...NO_FLAGS, announced: 1 };
const access = (more: Partial<Access> = {}): Access => ({
  userType: 0,
  permissions: everything,
  flags: SHOWN,
  links: {},
  ...more,
});

test('nobody has more than his permissions, of whatever type', () => {
  for (const screen of screens.filter(({ layout }) => layout !== 'public')) {
    const open = mayOpen(screen, access({ permissions: [] }));
    expect(open, screen.path).toBe(screen.permission === null || screen.external === 'ota');
  }
});

test.each([
  ['/user/authrule', { userType: 0, flags: { ...SHOWN, rl: 1 } }, true],
  ['/user/authrule', { userType: 0 }, false],
  ['/user/authrule', { userType: 1, flags: { ...SHOWN, rl: 1 } }, false],
  ['/user/customize', { userType: 0 }, true],
  ['/user/customize', { userType: 2 }, false],
  ['/ota/device', { flags: { ...SHOWN, ot: 1 } }, true],
  ['/ota/device', {}, false],
  ['/ota/device', { flags: { ...SHOWN, ot: 1 }, permissions: ['ota.Device'] }, false],
  ['/user/me', { userType: 6, permissions: [] }, true],
  ['/monitorScreen/map-1/deviceDetail', { permissions: ['MonitorScreen'] }, false],
  ['/monitorScreen/map-1/deviceDetail', { permissions: ['MonitorScreen', 'Monitor.DeviceMonitor'] }, true],
])('%s with %o: %s', (path, more, allowed) => {
  expect(mayOpen(screenAt(path)!, access(more))).toBe(allowed);
});

const entries = (given: Access, host = false): string[] =>
  [...menuOf(screens, given, host).values()].flat().map(({ path }) => path);

test('a way out of the portal is offered with an address, the OTA one to who has no OTA here', () => {
  const links = { ota: 'https://ota.example', flow: 'https://flow.example', gis: '/gis/' };
  expect(entries(access()).filter((path) => screenAt(path)?.external)).toEqual([]);
  expect(entries(access({ links }))).toEqual(expect.arrayContaining(['/ota-link', '/flow-link', '/screen/gis']));
  const withOta = entries(access({ links, flags: { ...SHOWN, ot: 1 } }));
  expect(withOta).toContain('/ota/device');
  expect(withOta).not.toContain('/ota-link');
});

test('the landing page is the overview, for who may see it; it is offered to who lands on it', () => {
  expect(landingPath(screens, access())).toBe('/dashboard/index');
  expect([...menuOf(screens, access()).get('dashboard')!].map(({ path }) => path)).toEqual(['/dashboard/index']);
  const others = access({ permissions: everything.filter((code) => code !== 'PlatformOverView') });
  expect(landingPath(screens, others)).toBe('/monitor/device');
  expect(entries(others)).not.toContain('/dashboard/index');
});

test('on the OTA host the landing page is its gateway list, for who may see it', () => {
  const ot = { ...SHOWN, ot: 1 };
  expect(landingPath(screens, access({ flags: ot }), true)).toBe('/ota/device');
  expect(entries(access({ flags: ot }), true)).not.toContain('/dashboard/index');
  expect(landingPath(screens, access({ flags: { ...NO_FLAGS, ot: 1 } }), true)).toBe('/ota/device');
  expect(landingPath(screens, access(), true)).toBe('/dashboard/index');
});

test('what is announced only is neither entry nor address while the switch is off, and empty sections vanish', () => {
  const plain = access({ flags: { ...NO_FLAGS, ot: 1, rl: 1 } });
  for (const screen of pending) expect(mayOpen(screen, plain), screen.path).toBe(false);
  const shown = menuOf(screens, plain);
  expect([...shown.values()].flat().filter(({ pending: isPending }) => isPending)).toEqual([]);
  for (const section of ['camera', 'maintenance', 'lawEnforcement', 'fee', 'scada'])
    expect(shown.has(section), section).toBe(false);
  expect(shown.has('ota')).toBe(true);
  expect(menuOf(screens, access({ flags: { ...NO_FLAGS, rl: 1 } })).has('ota')).toBe(false);
});

test('permissions that open nothing built are marked in the table, and no others', () => {
  const built = new Set(screens.filter((screen) => screen.pending !== true).flatMap(codesOf));
  const announced = new Set(ANNOUNCED);
  for (const code of announced) expect(built.has(code), code).toBe(false);
  const later = pending.filter(({ path }) => path !== '/dashboard/index').flatMap(codesOf);
  for (const code of later) expect(announced.has(code) || built.has(code), code).toBe(true);
});

test('hidden screens can be opened and are no entries', () => {
  expect(entries(access())).not.toContain('/screen/config');
  expect(mayOpen(screenAt('/screen/config')!, access())).toBe(true);
});
