import i18next from 'i18next';
import { errorText, showNotice } from '@/components/notices';
import { addPort, addSlave, createDevice, putAccessPassword, putGatewayTemplate, putPointTemplate, takenNames, templateOfReady } from './api';
import type { NewDevice } from './api';
import { newBodyOf } from './draft';
import type { Draft } from './draft';
import type { WizardDraft } from './wizard';
import { planOf, readyName } from './wizardSlaves';
import type { Forms, Plan } from './wizardSlaves';

/** What did not come about beside a new gateway, and why in words. */
export interface Missing {
  part: 'gateway' | 'port' | 'slave' | 'points' | 'password';
  /** Of the port or slave. */
  name: string;
  why: string;
}

export interface Made {
  made: NewDevice;
  /** Slaves without a template: their points are still to be entered. */
  bare: readonly string[];
  missing: readonly Missing[];
}

/**
 * A new gateway with its templates and its password. What follows the making is told when it fails: the gateway is
 * there by then, and its secret must be seen.
 */
export async function makeDevice(draft: WizardDraft, forms: Forms): Promise<Made> {
  const made = await createDevice(draft.gateway_id, newBodyOf(draft));
  const { id } = made.device;
  const missing: Missing[] = [];
  const attempt: Attempt = async (part, name, work) => {
    try {
      await work();
      return true;
    } catch (error) {
      missing.push({ part, name, why: errorText(error) || i18next.t('base:error.failed') });
      return false;
    }
  };
  const { gateway_template: template, access_password: password } = draft;
  if (template !== null) await attempt('gateway', '', () => putGatewayTemplate(id, Number(template.value)));
  let bare: readonly string[] = [];
  if (draft.slaves.length > 0) {
    await attempt('slave', '', async () => {
      // A gateway template may have brought ports and slaves whose names are taken then.
      const plan = planOf(draft.slaves, forms, await takenNames(id));
      bare = await putSlaves(id, plan, attempt);
    });
  }
  if (password !== '') await attempt('password', '', () => putAccessPassword(id, password));
  return { made, bare, missing };
}

type Attempt = (part: Missing['part'], name: string, work: () => Promise<void>) => Promise<boolean>;

/** Ports first, then each slave with its points. Names of the slaves that have no points yet. */
async function putSlaves(id: number, plan: Plan, attempt: Attempt): Promise<readonly string[]> {
  const bare: string[] = [];
  const language = i18next.language.startsWith('zh') ? 'zh' : 'en';
  for (const port of plan.ports) {
    // Each change is made on the draft that the one before it left.
    // oxlint-disable-next-line no-await-in-loop
    await attempt('port', port.name ?? '', () => addPort(id, port));
  }
  for (const { body, template } of plan.slaves) {
    // oxlint-disable-next-line no-await-in-loop
    if (!(await attempt('slave', body.name, () => addSlave(id, body)))) continue;
    if (template === null) {
      bare.push(body.name);
      continue;
    }
    const ready = readyName(template);
    // oxlint-disable-next-line no-await-in-loop
    await attempt('points', body.name, async () => putPointTemplate(id, body.name, ready === null ? Number(template.value) : await templateOfReady(ready, template, language)));
  }
  return bare;
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
