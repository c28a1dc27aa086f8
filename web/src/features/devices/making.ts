import i18next from 'i18next';
import { errorText, showNotice } from '@/components/notices';
import { addPort, addSlave, createDevice, putAccessPassword, putGatewayTemplate, putPointTemplate, takenNames } from './api';
import type { NewDevice } from './api';
import { newBodyOf } from './draft';
import type { Draft } from './draft';
import { connectionOf } from './wizard';
import type { WizardDraft } from './wizard';

/** What did not come about beside a new gateway, and why in words. */
export interface Missing {
  part: 'gateway' | 'points' | 'password';
  why: string;
}

export interface Made {
  made: NewDevice;
  missing: readonly Missing[];
}

/**
 * A new gateway with its templates and its password. What follows the making is told when it fails: the gateway is
 * there by then, and its secret must be seen.
 */
export async function makeDevice(draft: WizardDraft): Promise<Made> {
  const made = await createDevice(draft.gateway_id, newBodyOf(draft));
  const { id } = made.device;
  const missing: Missing[] = [];
  const attempt = async (part: Missing['part'], work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      missing.push({ part, why: errorText(error) || i18next.t('base:error.failed') });
    }
  };
  const { gateway_template: template, access_password: password } = draft;
  if (template !== null) await attempt('gateway', () => putGatewayTemplate(id, Number(template.value)));
  if (draft.point_template !== null) await attempt('points', () => putPoints(id, draft));
  if (password !== '') await attempt('password', () => putAccessPassword(id, password));
  return { made, missing };
}

/** A gateway template may have brought ports and slaves whose names are taken then. */
async function putPoints(id: number, draft: WizardDraft): Promise<void> {
  if (draft.point_template === null) return;
  const { port, slave } = connectionOf(draft, await takenNames(id));
  await addPort(id, port);
  await addSlave(id, slave);
  await putPointTemplate(id, slave.name, Number(draft.point_template.value));
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
