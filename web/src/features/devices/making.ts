import { errorText, showNotice } from '@/components/notices';
import { addPort, addSlave, createDevice, putAccessPassword, putGatewayTemplate, putPointTemplate } from './api';
import type { NewDevice } from './api';
import { newBodyOf } from './draft';
import type { Draft } from './draft';
import { connectionOf } from './wizard';
import type { WizardDraft } from './wizard';

/**
 * A new gateway with its templates and its password. What follows the making is told when it fails: the gateway is
 * there by then, and its secret must be seen.
 */
export async function makeDevice(draft: WizardDraft): Promise<NewDevice> {
  const made = await createDevice(draft.gateway_id, newBodyOf(draft));
  await told(() => fill(made.device.id, draft));
  await setPassword(made.device.id, draft);
  return made;
}

async function fill(id: number, draft: WizardDraft): Promise<void> {
  if (draft.gateway_template !== null) await putGatewayTemplate(id, Number(draft.gateway_template.value));
  if (draft.point_template === null) return;
  const { port, slave } = connectionOf(draft);
  await addPort(id, port);
  await addSlave(id, slave);
  await putPointTemplate(id, slave.name, Number(draft.point_template.value));
}

export async function setPassword(id: number, { access_password }: Draft): Promise<void> {
  if (access_password !== '') await told(() => putAccessPassword(id, access_password));
}

async function told(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    showNotice(errorText(error));
  }
}
