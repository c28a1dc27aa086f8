import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type {
  GetAccessPasswordData,
  GetAccessPasswordResponse,
  GetCommandStatusData,
  GetCommandStatusResponse,
  SendCommandData,
  SendCommandResponse,
} from '@/api/generated/types.gen';
import { switchLanguage } from '@/i18n';
import { CommandDrawer } from '@/features/monitor/components/CommandDrawer';
import { command, device, slave, source } from './fixtures';
import { answer, refuse } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

const MAY = ['Device/cmd'];
const STATUS_URL = '/api/v1/device/cmdStatus';
/** Waits for the network while the page's clock stands. */
const NO_TIME = { interval: 0, timeout: 10_000 };
let sent: Call[];
let looked: Call[];

beforeEach(() => {
  answer<GetAccessPasswordData, GetAccessPasswordResponse>('get', '/api/v1/device/{device_id}/accesspassword', {
    is_set: false,
  } as GetAccessPasswordResponse['data']);
  sent = answer<SendCommandData, SendCommandResponse>('post', '/api/v1/device/cmd', { id: 'c1', status: 'create' });
  looked = answer<GetCommandStatusData, GetCommandStatusResponse>('get', STATUS_URL, command());
});

interface Case {
  of?: ReturnType<typeof source>;
  to?: ReturnType<typeof device>;
  permissions?: readonly string[];
}

function drawer({ of = source(), to = device(), permissions = MAY }: Case = {}): Promise<Rendered> {
  return show(<CommandDrawer source={of} device={to} initial={undefined} onClose={() => undefined} />, {
    permissions,
  });
}
const submit = (): HTMLButtonElement => screen.getByTestId<HTMLButtonElement>('command-submit');
const body = ({ body: told }: Call): Record<string, unknown> => told as Record<string, unknown>;

test('a value is sent once, however often one presses; the same again only on purpose', async () => {
  const { user } = await drawer();
  expect(submit().disabled).toBe(true);
  await user.type(screen.getByTestId('command-value'), '1.21');
  expect(submit().textContent).toContain('1.21 bar');
  await user.dblClick(submit());
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(body(sent[0] as Call)).toMatchObject({ dsid: 11, value: 1.21, action: 'W' });
  answer<GetCommandStatusData, GetCommandStatusResponse>(
    'get',
    STATUS_URL,
    command({ status: 'resp', outcome: 'done', result_value: 1.21 }),
  );
  const again = await screen.findByTestId('send-again');
  expect(submit().disabled).toBe(true);
  await user.click(again);
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(body(sent[1] as Call).request_id).not.toBe(body(sent[0] as Call).request_id);
});

test.each(['2.5', '-1', 'much'])('a value that breaks its rule is not sent: %s', async (typed) => {
  const { user } = await drawer();
  await user.type(screen.getByTestId('command-value'), typed);
  expect(submit().disabled).toBe(true);
  await user.keyboard('{Enter}');
  expect(sent).toEqual([]);
});

test('the state of a command is asked for 2 s after it was sent', async () => {
  const { user } = await drawer();
  await user.type(screen.getByTestId('command-value'), '1.21');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  submit().click();
  await vi.waitFor(() => expect(screen.queryByTestId('command-state')).not.toBeNull(), NO_TIME);
  await act(() => vi.advanceTimersByTimeAsync(1_900));
  expect(looked).toEqual([]);
  await act(() => vi.advanceTimersByTimeAsync(200));
  await vi.waitFor(() => expect(looked).toHaveLength(1), NO_TIME);
  expect(looked[0]?.query.get('id')).toBe('c1');
});

test('what the cloud refuses is told in place, and can be sent again', async () => {
  refuse<SendCommandData>('post', '/api/v1/device/cmd', { status: 503, code: 20_000, data: { message: 'no broker' } });
  const { user } = await drawer();
  await user.type(screen.getByTestId('command-value'), '1');
  await user.click(submit());
  expect((await screen.findByTestId('command-error')).textContent).toContain('no broker');
  expect(submit().disabled).toBe(false);
});

test.each([
  ['without the permission', true, [], 'no permission'],
  ['a visitor who only reads', false, MAY, 'read'],
])('who may not write sees why: %s', async (_who, writes, permissions, why) => {
  const { user } = await drawer({ to: device({ access: { owner: null, role: 'visitor', writes } }), permissions });
  await user.type(screen.getByTestId('command-value'), '1');
  expect(submit().disabled).toBe(true);
  expect(submit().title).toContain(why);
  await user.keyboard('{Enter}');
  expect(sent).toEqual([]);
});

test('a slave that does not answer is told of, and written to all the same', async () => {
  const silent = slave({ online: false, reason: 'timeout', last_good_ms: Date.now() - 60_000 });
  const { user } = await drawer({ to: device({ slaves: [silent] }) });
  expect(screen.getByTestId('not-answering').textContent).toContain('has not answered since');
  await user.type(screen.getByTestId('command-value'), '1.2');
  await user.click(submit());
  await waitFor(() => expect(sent).toHaveLength(1));
});

test('a gateway that is offline is told of; of one that answers nothing is said', async () => {
  const { unmount } = await drawer();
  expect(screen.queryByTestId('not-answering')).toBeNull();
  expect(screen.queryByTestId('not-connected')).toBeNull();
  unmount();
  await drawer({ to: device({ link: { online: false, since_ms: 1, reason: '' } }) });
  expect(screen.getByTestId('not-connected').textContent).not.toBe('');
});

test('a switch without names is on or off, in both languages', async () => {
  await drawer({ of: source({ ds_type: 'onoff', data_type: 'bool', unit: '' }) });
  const labels = (): (string | null)[] =>
    [...within(screen.getByTestId('command-switch')).getAllByText(/./)].map(({ textContent }) => textContent);
  expect(labels()).toEqual(['Off', 'On']);
  await act(() => switchLanguage('zh'));
  expect(labels()).toEqual(['关', '开']);
});
