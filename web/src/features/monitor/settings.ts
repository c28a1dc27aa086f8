import type { DeviceBody, DeviceDetail } from './api';

/** Limits of the cloud. */
export const MAX_TITLE = 200;
export const MAX_DELAY_S = 86_400;

export interface Draft {
  title: string;
  notify: boolean;
  clear: boolean;
  /** As it was typed. */
  delay: string;
}

type Settings = Pick<DeviceDetail, 'device_title' | 'offline_notify' | 'offline_clear_data' | 'offline_alarm_delay_s'>;

export function draftOf(device: Settings): Draft {
  return {
    title: device.device_title,
    notify: device.offline_notify,
    clear: device.offline_clear_data,
    delay: String(device.offline_alarm_delay_s),
  };
}

/** Keys of the rules that a draft breaks, by field. */
export function faultsOf({ title, delay }: Draft): Partial<Record<keyof Draft, string>> {
  const faults: Partial<Record<keyof Draft, string>> = {};
  if (title.trim() === '') faults.title = 'monitor:settings.rule.title';
  if (!/^\d{1,5}$/.test(delay.trim()) || Number(delay) > MAX_DELAY_S) faults.delay = 'monitor:settings.rule.delay';
  return faults;
}

/** What differs from the device: another editor's change of another field stays. Null when nothing does. */
export function changesOf(draft: Draft, device: Settings): DeviceBody | null {
  const wanted: Settings = {
    device_title: draft.title.trim(),
    offline_notify: draft.notify,
    offline_clear_data: draft.clear,
    offline_alarm_delay_s: Number(draft.delay),
  };
  const changed = Object.entries(wanted).filter(([name, value]) => device[name as keyof Settings] !== value);
  return changed.length === 0 ? null : (Object.fromEntries(changed) as DeviceBody);
}
