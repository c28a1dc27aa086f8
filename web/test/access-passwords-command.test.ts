import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CommandStatus } from '@/features/monitor/api';
import { sendWrites } from '@/features/monitor/api';
import { PasswordGiven } from '@/features/monitor/command';
import { accessPasswords, clearAccessPasswords, hasAccessPassword } from '@/lib/accessPasswords';

const cloud = vi.hoisted(() => ({ code: '', ids: [] as string[] }));
const reply = (data: unknown) => Promise.resolve({ data: { code: 0, data }, response: new Response() });
vi.mock('@/api/generated/sdk.gen', async (original) => ({
  ...(await original<object>()),
  getAccessPassword: () => reply({ is_set: true }),
  sendCommand: ({ body }: { body: { request_id: string } }) => {
    cloud.ids.push(body.request_id);
    return reply({ id: 'c', status: cloud.code === '' ? 'create' : 'notAuthorized' });
  },
  getCommandStatus: () => reply({ id: 'c', code: cloud.code } as CommandStatus),
}));

const GATEWAY = { id: 12, device_title: 'gw', binder_devtitle: '' };
const write = () => sendWrites(GATEWAY, { dsid: 1, value: 2 }, 'r1');

let leave = (): void => undefined;

/** Answers the dialogs, one after the other. */
function user(...answers: (string | null)[]): boolean[] {
  const asked: boolean[] = [];
  leave = accessPasswords.subscribe(({ question: one }, before) => {
    if (one === null || one === before.question) return;
    asked.push(one.isWrong);
    queueMicrotask(() => one.answer(answers.shift() ?? null));
  });
  return asked;
}

beforeEach(() => {
  clearAccessPasswords();
  cloud.ids.length = 0;
});

afterEach(() => leave());

test('a refused password is asked for again, and nothing counts as sent', async () => {
  cloud.code = 'access_password';
  const asked = user('guess', 'other');
  await expect(write()).rejects.toBeInstanceOf(PasswordGiven);
  expect([asked, hasAccessPassword(12)]).toEqual([[false, true], true]);
});

test('who gives no other one is told that it is wrong, and asked anew the next time', async () => {
  cloud.code = 'access_password';
  user('guess', null);
  await expect(write()).rejects.toMatchObject({ facts: { reason: 'access_password.wrong', args: { device: 'gw' } } });
  expect(hasAccessPassword(12)).toBe(false);
});

test('a locked password is told, not asked for; a right one sends', async () => {
  cloud.code = 'locked';
  const asked = user('guess');
  await expect(write()).rejects.toMatchObject({ facts: { reason: 'access_password.locked' } });
  cloud.code = '';
  expect(await write()).toMatchObject({ status: 'create' });
  expect([asked, cloud.ids]).toEqual([[false], ['r1', 'r1']]);
});
