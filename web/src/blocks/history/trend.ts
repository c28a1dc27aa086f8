import type { DataSource } from './api';
import { isChartable } from './series';

export type TrendPoint = Pick<DataSource, 'dsid' | 'ds_type' | 'ds_name' | 'ds_title'>;

interface Address {
  path: string;
  search: Record<string, string | number | undefined>;
}

/** Where the history of a point is shown: its last hour as a chart, or as a table where its values are no numbers. */
export function trendAddress(
  { dsid, ds_type }: Pick<TrendPoint, 'dsid' | 'ds_type'>,
  deviceId: number,
  within?: 'device',
): Address {
  const looks = { range: 'pastHour', view: isChartable({ ds_type }) ? undefined : 'table' };
  return within === 'device'
    ? { path: '/deviceDetail/index', search: { device_id: deviceId, tab: 'history', points: dsid, ...looks } }
    : { path: '/dataCenter/hisData', search: { device_id: deviceId, dsids: dsid, ...looks } };
}
