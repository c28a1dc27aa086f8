import type { DeviceBody } from '@/api/generated/types.gen';
import type { Choice } from '@/components/AsyncPicker';
import { beginOf, NUMBERS, SWITCHES } from './draft';
import type { NumberName, SwitchName } from './draft';

export const BATCH_TEXTS = ['model', 'device_province', 'device_city', 'device_district', 'device_address'] as const;
export const BATCH_CODES = ['gateway_type', 'protocol'] as const;
export type BatchText = (typeof BATCH_TEXTS)[number];
export type BatchCode = (typeof BATCH_CODES)[number];

/** What many gateways get; '' and null keep what each has. */
export type BatchDraft = Record<BatchText | BatchCode, string> &
  Record<NumberName, number | string> &
  Record<SwitchName, '' | 'on' | 'off'> & {
    project: Choice | null;
    product: Choice | null;
    expire: string | null;
  };

export const KEEP_ALL: BatchDraft = {
  model: '',
  device_province: '',
  device_city: '',
  device_district: '',
  device_address: '',
  gateway_type: '',
  protocol: '',
  device_mst: '',
  offline_alarm_delay_s: '',
  collect_interval_s: '',
  report_interval_s: '',
  slave_timeout_ms: '',
  gis_show: '',
  auto_position: '',
  offline_notify: '',
  offline_clear_data: '',
  low_power: '',
  scan_bind: '',
  project: null,
  product: null,
  expire: null,
};

/** Only what is not to be kept. */
export function batchBody(draft: BatchDraft): DeviceBody {
  const body: Record<string, unknown> = {};
  for (const name of BATCH_TEXTS) if (draft[name].trim() !== '') body[name] = draft[name].trim();
  for (const name of BATCH_CODES) if (draft[name] !== '') body[name] = Number(draft[name]);
  for (const name of NUMBERS) if (draft[name] !== '') body[name] = Number(draft[name]);
  for (const name of SWITCHES) if (draft[name] !== '') body[name] = draft[name] === 'on';
  if (draft.project !== null) body.project_id = Number(draft.project.value);
  if (draft.product !== null) body.product_id = Number(draft.product.value);
  if (draft.expire !== null) body.expire_ms = beginOf(draft.expire);
  return body as DeviceBody;
}
