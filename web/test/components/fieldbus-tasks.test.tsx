import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { ListProtocolsData, ListProtocolsResponse } from '@/api/generated/types.gen';
import LoopWritesTab from '@/features/fieldbus/screens/LoopWritesTab';
import { HASH, MAY, serve, T } from './fieldbus-fixtures';
import { answer } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

const AT = '/deviceDetail/index?device_id=7&tab=loopWrites';
const WATCHDOG = { name: 'watchdog', interval_s: 10, slave: 'plc', content: 'number', value: 1, offset: 4 };
const FRAME = {
  name: 'frame',
  interval_s: 60,
  slave: 'press',
  message: 'custom',
  content: 'hex',
  value: '01 03',
  checksum: 'sum8',
};

const open = (more = '', permissions = MAY): Promise<Rendered> =>
  show(<LoopWritesTab />, { permissions, at: `${AT}${more}` });

const namesIn = (call: Call | undefined): string[] =>
  ((call?.body ?? { tasks: [] }) as { tasks: { name: string }[] }).tasks.map(({ name }) => name);

test('the list says what is sent and what came of it', async () => {
  const report = {
    name: 'watchdog',
    outcome: 'no_answer',
    last_ms: T,
    sent: 40,
    failed: 3,
    missed: 2,
    last_error: 'no answer within 1000 ms',
    last_error_ms: T,
  };
  serve(
    { tasks: [WATCHDOG, { ...FRAME, enable: false }] },
    { report: { reported_ms: T, loop_writes: [report, { ...report, name: 'gone', outcome: 'done' }] } },
  );
  await open();
  const rows = await screen.findAllByTestId('loop-writes-row');
  expect(rows).toHaveLength(3);
  const [watchdog, frame, gone] = rows.map((row) => row.textContent);
  for (const part of ['watchdog', '03 06 00 04 00 01', '40', 'no answer within 1000 ms', '10 s'])
    expect(watchdog).toContain(part);
  for (const part of ['01 03 04', 'Custom · Hex', 'Disabled', 'Not at the gateway yet']) expect(frame).toContain(part);
  expect(gone).toContain('Removed in the draft');
});

const addButton = (): HTMLButtonElement => screen.getByTestId<HTMLButtonElement>('task-add');
const add = async (user: Rendered['user']): Promise<void> => {
  await waitFor(() => expect(addButton().disabled).toBe(false));
  await user.click(addButton());
};

test('a task is added when the slaves are known, and begins with the first', async () => {
  serve({});
  const slow = Promise.withResolvers<ListProtocolsResponse['data']>();
  answer<ListProtocolsData, ListProtocolsResponse>('get', '/api/v1/device/protocol', () => slow.promise);
  const { user } = await open();
  expect(await screen.findByText('No loop-write tasks')).toBeTruthy();
  expect(addButton().disabled).toBe(true);
  slow.resolve({ rows: [] } as never);
  await add(user);
  expect((await screen.findByTestId<HTMLInputElement>('field-slave')).value).toBe('plc');
});

test('a task is made with the bytes in view; what is wrong stands at its field', async () => {
  const { tasks } = serve({});
  const { user } = await open();
  expect(await screen.findByText('No loop-write tasks')).toBeTruthy();
  await add(user);
  await user.type(await screen.findByTestId('field-offset'), '10');
  const preview = screen.getByTestId('preview');
  expect(preview.textContent).toContain('A number');
  await user.type(screen.getByTestId('field-value'), '77');
  await waitFor(() => expect(within(preview).getByText('03 06 00 0A 00 4D 68 1F')).toBeTruthy());
  await user.clear(screen.getByTestId('field-value'));
  await user.type(screen.getByTestId('field-value'), '70000');
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(screen.getAllByText('Does not fit uint16')).toHaveLength(2));
  expect(tasks).toHaveLength(0);
  await user.clear(screen.getByTestId('field-value'));
  await user.type(screen.getByTestId('field-value'), '77');
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(screen.queryByTestId('form-drawer')).toBeNull());
  expect(tasks[0]?.body).toEqual({
    base: HASH,
    tasks: [{ name: 'write', interval_s: 60, slave: 'plc', content: 'number', value: 77, offset: 10 }],
  });
});

test('a custom message has a checksum and an expected answer in place of registers', async () => {
  const { tasks } = serve({ tasks: [WATCHDOG] });
  const { user } = await open('&task=watchdog');
  await user.click(await screen.findByTestId('field-message'));
  await user.click(await screen.findByRole('option', { name: 'Custom' }));
  expect(screen.queryByTestId('field-offset')).toBeNull();
  await user.click(screen.getByTestId('field-content'));
  await user.click(await screen.findByRole('option', { name: 'Hex' }));
  await user.clear(screen.getByTestId('field-value'));
  await user.type(screen.getByTestId('field-value'), '68 ff');
  expect(screen.queryByTestId('field-answer_timeout_ms')).toBeNull();
  await user.type(screen.getByTestId('field-expect'), '06');
  expect(screen.getByTestId('field-answer_timeout_ms')).toBeTruthy();
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(tasks).toHaveLength(1));
  expect(tasks[0]?.body).toMatchObject({
    tasks: [
      {
        name: 'watchdog',
        interval_s: 10,
        slave: 'plc',
        message: 'custom',
        content: 'hex',
        value: '68 ff',
        expect: '06',
      },
    ],
  });
});

test('a slave without registers takes custom messages alone', async () => {
  serve({ tasks: [{ ...WATCHDOG, slave: 'press' }] });
  const { user } = await open('&task=watchdog');
  const interval = await screen.findByTestId('field-interval_s');
  await user.clear(interval);
  await user.type(interval, '20');
  await user.click(screen.getByTestId('form-save'));
  expect(await screen.findByText('press has no registers: choose a custom message')).toBeTruthy();
});

test('a task is disabled, copied and removed, and the removal is taken back', async () => {
  const { tasks } = serve({ tasks: [WATCHDOG, FRAME] });
  const { user } = await open();
  const first = async (id: string): Promise<HTMLElement> => (await screen.findAllByTestId(id))[0] as HTMLElement;
  await user.click(await first('task-enable'));
  await waitFor(() => expect(tasks[0]?.body).toMatchObject({ tasks: [{ ...WATCHDOG, enable: false }, FRAME] }));
  await screen.findByText('Disabled');
  await user.click(await first('task-copy'));
  expect(((await screen.findByTestId('field-name')) as HTMLInputElement).value).toBe('watchdog-2');
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(tasks).toHaveLength(2));
  await waitFor(() => expect(screen.queryByTestId('form-drawer')).toBeNull());
  await user.click(await first('task-delete'));
  await waitFor(() => expect(tasks).toHaveLength(3));
  expect(namesIn(tasks[2])).toEqual(['frame', 'watchdog-2']);
  await user.click(await screen.findByTestId('undo'));
  await waitFor(() => expect(tasks).toHaveLength(4));
  expect(namesIn(tasks[3])).toHaveLength(3);
});

test('a name is there once', async () => {
  serve({ tasks: [WATCHDOG, FRAME] });
  const { user } = await open('&task=frame');
  const name = await screen.findByTestId('field-name');
  await user.clear(name);
  await user.type(name, 'watchdog');
  await user.click(screen.getByTestId('form-save'));
  expect(await screen.findByText('Another task has this name')).toBeTruthy();
});
