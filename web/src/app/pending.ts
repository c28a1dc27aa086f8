import type { Screen } from '@/lib/screens';
import type { SectionId } from './sectionIds';

type More = Omit<Partial<Screen>, 'path' | 'titleKey' | 'section' | 'pending' | 'permission'>;

/** A screen that is still to be built: all of its record but the page, which says what it will do. */
function later(
  name: string,
  path: string,
  section: SectionId,
  permission: Screen['permission'],
  more: More = {},
): Screen {
  return {
    path,
    titleKey: `pending:title.${name}`,
    icon: 'clock-hour-4',
    layout: 'admin',
    section,
    permission,
    pending: true,
    load: async () => ({ default: (await import('@/features/pending/screens/NotYet')).notYet(name) }),
    ...more,
  };
}

const WALL: More = { layout: 'fullscreen' };
const HIDDEN: More = { hidden: true };

/** Every screen that is announced and not built; with its gates, so that they hold from the first day. */
export const pending: readonly Screen[] = [
  later('energy', '/dataCenter/energyAnalyze', 'dataCenter', 'energyAnalyze', { aliases: ['/energyAnalyze'] }),
  later('reportOld', '/dataCenter/dataReport', 'dataCenter', 'DataReport', { aliases: ['/dataReport'] }),
  later('report', '/dataCenter/dataReportV2', 'dataCenter', 'DataReportV2', { aliases: ['/dataReportV2'] }),
  later('algorithm', '/dataCenter/algorithmAnalyze', 'dataCenter', 'Device/hisaya', { aliases: ['/algorithmAnalyze'] }),

  later('wall', '/monitorScreen/screen', 'monitorScreen', 'MonitorScreen', WALL),
  later('data1', '/monitorScreen/data-1', 'monitorScreen', 'MonitorScreen', WALL),
  later('data2', '/monitorScreen/data-2', 'monitorScreen', 'MonitorScreen', WALL),
  later('scada1', '/monitorScreen/scada-1', 'monitorScreen', 'MonitorScreen', WALL),
  later('scada2', '/monitorScreen/scada-2', 'monitorScreen', 'MonitorScreen', WALL),
  later('scada3', '/monitorScreen/scada-3', 'monitorScreen', 'MonitorScreen', WALL),
  later('map1', '/monitorScreen/map-1', 'monitorScreen', 'MonitorScreen', WALL),
  later('map2', '/monitorScreen/map-2', 'monitorScreen', 'MonitorScreen', WALL),
  later('map3', '/monitorScreen/map-3', 'monitorScreen', 'MonitorScreen', WALL),

  later('screenList', '/screen/list', 'screen', 'CustScreen'),
  later('screenStore', '/screen/store', 'screen', 'MonitorScreenMall'),
  later('screenConfig', '/screen/config', 'screen', 'CustScreen', { ...HIDDEN, tabKeys: ['id'] }),

  later('scadaApp', '/scada/app', 'scada', 'ScadaManager'),
  later('scadaTemplate', '/scada/template', 'scada', 'ScadaManager'),

  later('cameras', '/camera/index', 'camera', 'Camera'),

  later('plans', '/maintenance/plan', 'maintenance', 'worker.Plan'),
  later('faults', '/maintenance/fault', 'maintenance', 'worker.Fault'),
  later('workOrders', '/maintenance/workOrder', 'maintenance', 'worker.Order'),
  later('myWorkOrders', '/maintenance/myWorkOrder', 'maintenance', 'worker.MyOrder'),

  later('createRecord', '/lawEnforcement/createRecord', 'lawEnforcement', 'law.Create'),
  later('lawOrders', '/lawEnforcement/workOrder', 'lawEnforcement', 'lawer.Order'),
  later('myLawOrders', '/lawEnforcement/myWorkOrder', 'lawEnforcement', 'lawer.MyOrder'),

  later('graphLib', '/other/graphLib', 'other', 'Graphlib/list', { aliases: ['/graphLib'] }),
  later('deviceAccounts', '/other/deviceAccount', 'other', 'DeviceAccount/index', { aliases: ['/deviceAccount'] }),
  later('services', '/other/thirdPartyService', 'other', 'Options', { aliases: ['/thirdPartyService'] }),
  later('appKeys', '/other/appKey', 'other', 'AppKey', { aliases: ['/appKey'] }),

  later('feeOverview', '/fee/overview', 'fee', 'Fee'),
  later('orders', '/fee/orderList', 'fee', 'Fee'),
];
