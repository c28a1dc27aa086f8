import { expect, test } from 'vitest';
import type { ContactGroupRow, ContactRow } from '@/api/generated/types.gen';
import {
  contactBody,
  contactDraft,
  groupBody,
  groupDraft,
  missingOf,
  NO_CONTACT,
  NO_GROUP,
  reachable,
} from '@/features/contacts/draft';

const CONTACT: ContactRow = {
  id: 1,
  name: 'Li',
  phone: '13800000000',
  email: 'li@example.com',
  wechat: '',
  language: 'en',
  enabled: false,
  user_name: 'plant',
  groups: [],
  changed_ms: 0,
};

const GROUP: ContactGroupRow = {
  id: 2,
  title: 'Shift',
  enabled: true,
  channels: ['sms', 'email'],
  language: 'en',
  lowest_level: 'warning',
  alarm_types: [4, 201],
  gateways: 'devices',
  device_ids: [5, 6],
  project_ids: [],
  recoveries: false,
  quiet: { start: '21:00', end: '06:00', danger_passes: false },
  contact_ids: [1],
  contacts: [{ id: 1, title: 'Li', problem: '' }],
  devices: [{ id: 5, title: 'Boiler' }],
  projects: [],
  robots: [{ kind: 'dingtalk', host: 'oapi.dingtalk.com', has_secret: true }],
  problem: '',
  user_name: 'plant',
  changed_ms: 0,
};

test('a contact comes out of its form as it went in', () => {
  const { name, phone, email, wechat, language, enabled } = CONTACT;
  expect(contactBody(contactDraft(CONTACT))).toEqual({ name, phone, email, wechat, language, enabled });
  expect(contactBody({ ...NO_CONTACT, name: ' Wang ' }).name).toBe('Wang');
});

test('channels of a contact are those that have an address', () => {
  expect(reachable(CONTACT)).toEqual(['email', 'sms', 'voice']);
  expect(reachable({ email: '', phone: '', wechat: 'o1' })).toEqual(['wechat']);
});

test('a group comes out of its form as it went in, and its stored robot stays as it is', () => {
  const draft = groupDraft(GROUP);
  expect(draft.device_ids.map(({ label }) => label)).toEqual(['Boiler', '#6']);
  expect(groupBody(draft)).toEqual({
    title: 'Shift',
    enabled: true,
    contact_ids: [1],
    channels: ['email', 'sms'],
    language: 'en',
    lowest_level: 'warning',
    alarm_types: [4, 201],
    gateways: 'devices',
    device_ids: [5, 6],
    project_ids: [],
    recoveries: false,
    quiet: { start: '21:00', end: '06:00', danger_passes: false },
    robots: [{ kind: 'dingtalk', url: null, secret: null }],
  });
});

test('what was typed for a robot is sent, a removed secret too, and what is off is not', () => {
  const draft = groupDraft(GROUP);
  const changed = {
    ...draft,
    gateways: 'all',
    is_quiet: false,
    robots: draft.robots.map((robot) => {
      if (robot.kind === 'dingtalk') return { ...robot, without_secret: true, secret: 'typed' };
      return robot.kind === 'webhook' ? { ...robot, on: true, url: ' https://a.b/c ', secret: 's' } : robot;
    }),
  };
  const body = groupBody(changed);
  expect(body.robots).toEqual([
    { kind: 'webhook', url: 'https://a.b/c', secret: 's' },
    { kind: 'dingtalk', url: null, secret: '' },
  ]);
  expect([body.device_ids, body.quiet]).toEqual([[], null]);
});

test('what a group needs', () => {
  expect(missingOf(NO_GROUP)).toEqual(['title']);
  const draft = { ...NO_GROUP, title: 'x', gateways: 'devices' };
  expect(missingOf(draft)).toEqual(['device_ids']);
  expect(missingOf({ ...draft, gateways: 'projects' })).toEqual(['project_ids']);
  const robots = NO_GROUP.robots.map((robot) => ({ ...robot, on: robot.kind === 'feishu' }));
  expect(missingOf({ ...NO_GROUP, title: 'x', robots })).toEqual(['robots.2.url']);
  expect(missingOf(groupDraft(GROUP))).toEqual([]);
});
