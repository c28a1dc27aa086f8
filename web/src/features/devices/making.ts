import i18next from 'i18next';
import { ApiError } from '@/api/errors';
import { errorText, showNotice } from '@/components/notices';
import {
  addPort,
  addSlave,
  createDevice,
  draftRows,
  putAccessPassword,
  putGatewayTemplate,
  putPointTemplate,
  templateOfReady,
} from './api';
import type { DraftRows, NewDevice } from './api';
import { newBodyOf } from './draft';
import type { Draft } from './draft';
import { isByHand, keepRemaining, NOTHING_REMAINS, renamed, tasksOf } from './remaining';
import type { Missing, Remaining, Task } from './remaining';
import type { WizardDraft } from './wizard';
import { planOf, readyName } from './wizardSlaves';
import type { Forms } from './wizardSlaves';

export interface Made {
  made: NewDevice;
  remaining: Remaining;
}

const NONE_TAKEN = { ports: new Set<string>(), slaves: new Set<string>() };

/**
 * A new gateway with its templates and its password. What follows the making is told when it fails: the gateway is
 * there by then, and its secret must be seen.
 */
export async function makeDevice(draft: WizardDraft, forms: Forms): Promise<Made> {
  const made = await createDevice(draft.gateway_id, newBodyOf(draft));
  const missing = tasksOf(draft.gateway_template, planOf(draft.slaves, forms, NONE_TAKEN), draft.access_password);
  return { made, remaining: await makeRemaining(made.device.id, { ...NOTHING_REMAINS, missing }) };
}

/**
 * Make what a new gateway lacks; what it lacks after that. What an earlier try made although its answer was lost is not
 * made again. Without the cloud the rest is left for another try, as is what needs something that was refused.
 */
export async function makeRemaining(id: number, remaining: Remaining): Promise<Remaining> {
  let [tasks, { isNamed }] = [remaining.missing, remaining];
  const [left, bare, isAgain]: [Missing[], string[], boolean] = [[], [...remaining.bare], isNamed];
  let rows: DraftRows | null = null;
  let cut = '';
  for (let at = 0; at < tasks.length; at += 1) {
    let task = tasks[at] as Missing;
    if (isByHand(task)) {
      left.push({ ...task, why: i18next.t('devices:wizard.notKept') });
      continue;
    }
    const why: string = cut === '' ? (left.find((each) => isNeeded(each, task))?.why ?? '') : cut;
    if (why !== '') {
      left.push({ ...task, why });
      continue;
    }
    try {
      const isRow = task.part === 'port' || task.part === 'slave' || task.part === 'points';
      // Each change is made on the draft that the one before it left.
      // oxlint-disable-next-line no-await-in-loop
      if (isRow && (isAgain || !isNamed)) rows ??= await draftRows(id);
      if (isRow && !isNamed && rows !== null) {
        tasks = renamed(tasks, { ports: new Set(rows.ports.keys()), slaves: new Set(rows.slaves.keys()) });
        task = tasks[at] as Missing;
        isNamed = true;
      }
      // oxlint-disable-next-line no-await-in-loop
      if (!isAgain || rows === null || !isThere(task, rows)) await made(id, task);
      if (task.part === 'slave' && task.isBare) bare.push(task.name);
    } catch (error) {
      const message = errorText(error) || i18next.t('base:error.failed');
      if (error instanceof ApiError && error.facts.cause !== 'reply') cut = message;
      left.push({ ...task, why: message });
    }
  }
  const after = { missing: left, isNamed, bare };
  keepRemaining(sessionStorage, id, after);
  return after;
}

/** Is this, which is missing, the port or slave that the task's row belongs to? */
function isNeeded(missing: Task, task: Task): boolean {
  if (task.part === 'slave') return missing.part === 'port' && missing.name === task.body.port;
  return task.part === 'points' && missing.part === 'slave' && missing.name === task.name;
}

/** Was it made by an earlier try? Another row under its name is told by the cloud's refusal. */
function isThere(task: Task, { ports, slaves }: DraftRows): boolean {
  const isSame = (
    row: Readonly<Record<string, unknown>> | undefined,
    body: object,
    fields: readonly string[],
  ): boolean => row !== undefined && fields.every((field) => row[field] === (body as Record<string, unknown>)[field]);
  switch (task.part) {
    case 'port':
      return isSame(
        ports.get(task.name),
        task.body,
        task.body.type === 'NET' ? ['type', 'ip', 'port'] : ['type', 'device'],
      );
    case 'slave':
      return isSame(slaves.get(task.name)?.fields, task.body, ['port', 'protocol', 'address']);
    case 'points':
      return (slaves.get(task.name)?.points ?? 0) > 0;
    default:
      return false;
  }
}

async function made(id: number, task: Task): Promise<void> {
  switch (task.part) {
    case 'gateway':
      return putGatewayTemplate(id, task.template);
    case 'port':
      return addPort(id, task.body);
    case 'slave':
      return addSlave(id, task.body);
    case 'points': {
      const ready = readyName(task.template);
      const language = i18next.language.startsWith('zh') ? 'zh' : 'en';
      return putPointTemplate(
        id,
        task.name,
        ready === null ? Number(task.template.value) : await templateOfReady(ready, task.template, language),
      );
    }
    case 'password':
      return putAccessPassword(id, task.password);
    case 'secret':
  }
}

/** The gateway is there already: that its password could not be set is told beside. */
export async function setPassword(id: number, { access_password }: Draft): Promise<void> {
  if (access_password === '') return;
  try {
    await putAccessPassword(id, access_password);
  } catch (error) {
    showNotice(errorText(error));
  }
}
