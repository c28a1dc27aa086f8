import type { SearchValues } from '@/lib/screens';
import { DEVICE_STATUSES, STATUS_PARTS } from '@/lib/statusCodes';

/** Screens over all devices: they have the same filters under the same names and pass them on to each other. */
export const MONITOR_SCREENS = ['/monitor/device', '/monitor/list', '/monitor/deviceMap'] as const;

/** Filters as an address has them; '' for none. */
export interface MonitorFilters {
  search: string;
  status: string;
  /** Id; '0' for devices in no project. */
  project: string;
  product: string;
}

const ID = /^[1-9]\d{0,8}$/;
const STATUSES: ReadonlySet<string> = new Set([...DEVICE_STATUSES, ...STATUS_PARTS]);

/** What an address asks for; what is not valid is none. project_id and product_id: as addresses of the map said it before. */
export function monitorFilters(search: SearchValues): MonitorFilters {
  const [project = '', product = ''] = [search.project ?? search.project_id, search.product ?? search.product_id];
  const status = search.status ?? '';
  return {
    search: search.search?.trim() ?? '',
    status: STATUSES.has(status) ? status : '',
    project: project === '0' || ID.test(project) ? project : '',
    product: ID.test(product) ? product : '',
  };
}

/** The same filters for an address: undefined where there is none. */
export function filterSearch(filters: MonitorFilters): Record<keyof MonitorFilters, string | undefined> {
  const { search, status, project, product } = filters;
  return {
    search: search || undefined,
    status: status || undefined,
    project: project || undefined,
    product: product || undefined,
  };
}

/** Ids as the API takes them. */
export function filterQuery({ search, status, project, product }: MonitorFilters) {
  return {
    search: search || undefined,
    status: status || undefined,
    project_id: project === '' ? undefined : Number(project),
    product_id: product === '' ? undefined : Number(product),
  };
}
