import type { Choice } from '@/components/AsyncPicker';
import type { ContactBody, ContactChannel, ContactGroupBody, ContactGroupRow, ContactRow, RobotKind } from './api';
import { CONTACT_CHANNELS, ROBOT_KINDS } from './api';

export type ContactDraft = {
  name: string;
  phone: string;
  email: string;
  wechat: string;
  language: string;
  enabled: boolean;
};

export const NO_CONTACT: ContactDraft = { name: '', phone: '', email: '', wechat: '', language: 'zh', enabled: true };

const languageOf = (language: string): 'zh' | 'en' => (language === 'en' ? 'en' : 'zh');

export function contactDraft(row: ContactRow): ContactDraft {
  const { name, phone = '', email = '', wechat = '', language = 'zh', enabled = true } = row;
  return { name, phone, email, wechat, language, enabled };
}

export function contactBody({ language, ...draft }: ContactDraft): ContactBody {
  return { ...draft, name: draft.name.trim(), language: languageOf(language) };
}

/** A robot of a group's form. url and secret are what was typed: empty leaves what is stored. */
export type RobotDraft = {
  kind: RobotKind;
  on: boolean;
  url: string;
  secret: string;
  /** Host of the stored address, '' without one. */
  host: string;
  has_secret: boolean;
  without_secret: boolean;
};

export type GroupDraft = {
  title: string;
  enabled: boolean;
  contact_ids: Choice[];
  channels: string[];
  language: string;
  lowest_level: string;
  alarm_types: string[];
  gateways: string;
  device_ids: Choice[];
  project_ids: string[];
  recoveries: boolean;
  is_quiet: boolean;
  start: string;
  end: string;
  danger_passes: boolean;
  robots: RobotDraft[];
};

const noRobot = (kind: RobotKind): RobotDraft => ({
  kind,
  on: false,
  url: '',
  secret: '',
  host: '',
  has_secret: false,
  without_secret: false,
});

export const NO_GROUP: GroupDraft = {
  title: '',
  enabled: true,
  contact_ids: [],
  channels: ['email'],
  language: 'zh',
  lowest_level: 'info',
  alarm_types: [],
  gateways: 'all',
  device_ids: [],
  project_ids: [],
  recoveries: true,
  is_quiet: false,
  start: '22:00',
  end: '07:00',
  danger_passes: true,
  robots: ROBOT_KINDS.map(noRobot),
};

/** Chosen numbers with their titles; what is not seen any more is called by its number. */
function choices(numbers: readonly number[], titled: readonly { id: number; title: string }[]): Choice[] {
  const titles = new Map(titled.map(({ id, title }) => [id, title]));
  return numbers.map((id) => ({ value: String(id), label: titles.get(id) ?? `#${id}` }));
}

export function groupDraft(row: ContactGroupRow): GroupDraft {
  const { quiet } = row;
  return {
    title: row.title,
    enabled: row.enabled,
    contact_ids: choices(row.contact_ids, row.contacts),
    channels: [...(row.channels ?? [])],
    language: row.language ?? 'zh',
    lowest_level: row.lowest_level ?? 'info',
    alarm_types: (row.alarm_types ?? []).map(String),
    gateways: row.gateways ?? 'all',
    device_ids: choices(row.device_ids ?? [], row.devices),
    project_ids: (row.project_ids ?? []).map(String),
    recoveries: row.recoveries ?? true,
    is_quiet: quiet !== null && quiet !== undefined,
    start: quiet?.start ?? NO_GROUP.start,
    end: quiet?.end ?? NO_GROUP.end,
    danger_passes: quiet?.danger_passes ?? true,
    robots: ROBOT_KINDS.map((kind) => {
      const stored = row.robots.find((robot) => robot.kind === kind);
      return stored === undefined
        ? noRobot(kind)
        : { ...noRobot(kind), on: true, host: stored.host, has_secret: stored.has_secret };
    }),
  };
}

export function groupBody(draft: GroupDraft): ContactGroupBody {
  const { gateways, lowest_level } = draft;
  return {
    title: draft.title.trim(),
    enabled: draft.enabled,
    contact_ids: draft.contact_ids.map(({ value }) => Number(value)),
    channels: CONTACT_CHANNELS.filter((channel: ContactChannel) => draft.channels.includes(channel)),
    language: languageOf(draft.language),
    lowest_level: lowest_level === 'danger' || lowest_level === 'warning' ? lowest_level : 'info',
    alarm_types: draft.alarm_types.map(Number),
    gateways: gateways === 'devices' || gateways === 'projects' ? gateways : 'all',
    device_ids: gateways === 'devices' ? draft.device_ids.map(({ value }) => Number(value)) : [],
    project_ids: gateways === 'projects' ? draft.project_ids.map(Number) : [],
    recoveries: draft.recoveries,
    quiet: draft.is_quiet ? { start: draft.start, end: draft.end, danger_passes: draft.danger_passes } : null,
    robots: draft.robots
      .filter(({ on }) => on)
      .map(({ kind, url, secret, without_secret }) => ({
        kind,
        url: url.trim() === '' ? null : url.trim(),
        secret: without_secret ? '' : secret === '' ? null : secret,
      })),
  };
}

/** Name of each field that is empty and may not be. */
export function missingOf(draft: GroupDraft): string[] {
  const paths: string[] = [];
  if (draft.title.trim() === '') paths.push('title');
  if (draft.gateways === 'devices' && draft.device_ids.length === 0) paths.push('device_ids');
  if (draft.gateways === 'projects' && draft.project_ids.length === 0) paths.push('project_ids');
  draft.robots.forEach(({ on, url, host }, at) => {
    if (on && url.trim() === '' && host === '') paths.push(`robots.${at}.url`);
  });
  return paths;
}

/** Channels of a contact that have an address. */
export function reachable({ email, phone, wechat }: Pick<ContactRow, 'email' | 'phone' | 'wechat'>): ContactChannel[] {
  const addresses = { email, sms: phone, voice: phone, wechat };
  return CONTACT_CHANNELS.filter((channel) => (addresses[channel] ?? '') !== '');
}
