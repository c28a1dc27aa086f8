import type { Choice } from '@/components/AsyncPicker';
import { beginOf, changed, dayOf } from './account';
import type { UserBody, UserChange, UserRow } from './api';

/** A user to stand below, with his type: who is below has a greater one. */
export interface UserChoice extends Choice {
  type: number;
}

/** Limits as their inputs hold them: digits, or '' for none. */
export type LimitDraft = { projects: string; devices: string };

/** What the form of a user holds. id: 0 of a new one. expire: 'YYYY-MM-DD' or null for never. */
export type UserDraft = {
  id: number;
  user_name: string;
  user_type: string;
  password: string;
  nick_name: string;
  expire: string | null;
  phone: string;
  email: string;
  group: Choice | null;
  parent: UserChoice | null;
  bigscreen_title: string;
  remark: string;
  projects: string;
  devices: string;
};

/** Fields of the API that have another name in the form. */
export const DRAFT_NAMES = {
  user_expire: 'expire',
  group_id: 'group',
  parent_id: 'parent',
  'limits.projects': 'projects',
  'limits.devices': 'devices',
};

export function emptyDraft(userType: number): UserDraft {
  return {
    id: 0,
    user_name: '',
    user_type: String(userType),
    password: '',
    nick_name: '',
    expire: null,
    phone: '',
    email: '',
    group: null,
    parent: null,
    bigscreen_title: '',
    remark: '',
    projects: '',
    devices: '',
  };
}

/** ownType: of who edits; the type of a row's parent is not told, and checked by the cloud. */
export function draftOf(row: UserRow, ownType: number): UserDraft {
  const { user_name, nick_name, phone, email, bigscreen_title, remark } = row;
  return {
    user_name,
    nick_name,
    phone,
    email,
    bigscreen_title,
    remark,
    user_type: String(row.user_type),
    id: row.user_id,
    projects: limitText(row.limits.projects),
    devices: limitText(row.limits.devices),
    password: '',
    expire: dayOf(row.user_expire),
    group: row.group_id === null ? null : { value: String(row.group_id), label: row.group_title ?? `#${row.group_id}` },
    parent:
      row.parent_id === null ? null : { value: String(row.parent_id), label: row.parent_name ?? '', type: ownType },
  };
}

function limitText(limit: number | null | undefined): string {
  return typeof limit === 'number' ? String(limit) : '';
}

function limitsOf({ projects, devices }: LimitDraft): { projects: number | null; devices: number | null } {
  const limit = (text: string): number | null => (text === '' ? null : Number(text));
  return { projects: limit(projects), devices: limit(devices) };
}

function fieldsOf(draft: UserDraft) {
  const { user_name, nick_name, phone, email, bigscreen_title, remark, password, expire, group, parent } = draft;
  return {
    user_name,
    nick_name,
    phone,
    email,
    bigscreen_title,
    remark,
    password,
    user_type: Number(draft.user_type),
    user_expire: beginOf(expire),
    group_id: group === null ? null : Number(group.value),
    parent_id: parent === null ? null : Number(parent.value),
  };
}

export function bodyOf(draft: UserDraft): UserBody {
  return { ...fieldsOf(draft), limits: limitsOf(draft) };
}

/** What the form changed of a row. The name stays, and nobody is left without somebody above. */
export function changeOf(draft: UserDraft, row: UserRow): UserChange {
  const { user_name: _name, password: _password, ...wanted } = fieldsOf(draft);
  const { user_name: _userName, password: _none, ...fields } = fieldsOf(draftOf(row, 0));
  const { parent_id, ...change } = changed(wanted, fields);
  const limits = changed(limitsOf(draft), limitsOf(draftOf(row, 0)));
  return {
    ...change,
    ...(typeof parent_id === 'number' ? { parent_id } : {}),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  };
}
