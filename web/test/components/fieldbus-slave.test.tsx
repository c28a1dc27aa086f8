import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { PutInternalSlaveData } from '@/api/generated/types.gen';
import InternalSlaveTab from '@/features/fieldbus/screens/InternalSlaveTab';
import { HASH, MAY, serve, T } from './fieldbus-fixtures';
import { refuse } from './network';
import { show } from './render';
import type { Rendered } from './render';

const AT = '/deviceDetail/index?device_id=7&tab=internalSlave';
const LEVEL = { slave: 'plc', name: 'level', reg_type: '4X', offset: 0, data_type: 'int16', ratio: 0.1 };
const FLOW = { slave: 'plc', name: 'flow', reg_type: '4X', offset: 1, data_type: 'float' };

const open = (more = '', permissions = MAY): Promise<Rendered> =>
  show(<InternalSlaveTab />, { permissions, at: `${AT}${more}` });

test('a gateway without one is told what it is for, and gets one', async () => {
  const { slave } = serve({});
  const { user } = await open();
  expect(await screen.findByText('No internal slave')).toBeTruthy();
  await user.click(screen.getByTestId('slave-set-up'));
  const id = await screen.findByTestId('field-id');
  await user.clear(id);
  await user.type(id, '300');
  await user.click(screen.getByTestId('form-save'));
  expect(await screen.findByText('From 1 to 254')).toBeTruthy();
  expect(slave).toHaveLength(0);
  await user.clear(id);
  await user.type(id, '7');
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(screen.queryByTestId('form-drawer')).toBeNull());
  expect(slave[0]?.body).toEqual({ base: HASH, internal_slave: { id: 7 }, points: [] });
  expect((await screen.findByTestId('slave-summary')).textContent).toContain('Id 7 · TCP 127.0.0.1:1502 · 0 points');
});

test('an address that others reach needs the names of masters; a line has its settings only when there is one', async () => {
  serve({ slave: { id: 7 } });
  const { user } = await open();
  await user.click(await screen.findByTestId('slave-settings'));
  expect(screen.queryByTestId('field-baud')).toBeNull();
  await user.type(await screen.findByTestId('field-device'), '/dev/ttyS2');
  expect(screen.getByTestId('field-baud')).toBeTruthy();
  const host = screen.getByTestId('field-host');
  await user.clear(host);
  await user.type(host, '0.0.0.0');
  await user.click(screen.getByTestId('form-save'));
  expect(await screen.findByText('Name the masters that may connect')).toBeTruthy();
});

test('the register map shows which address holds which point, and marks what overlaps', async () => {
  serve({ slave: {}, points: [{ ...FLOW, offset: 0 }, LEVEL, { ...LEVEL, name: 'pump', reg_type: '0X', offset: 9 }] });
  const { user } = await open('&area=4X');
  const map = await screen.findByTestId('register-map');
  const shared = within(map).getByTestId('cell-0');
  expect(shared.getAttribute('data-overlap')).toBe('true');
  expect(shared.getAttribute('aria-label')).toBe('40001 to 40001: overlap of plc.flow, plc.level');
  expect(within(map).getByTestId('cell-1').getAttribute('aria-label')).toBe('40002 to 40002: plc.flow');
  expect(screen.getByTestId('map-overlaps').textContent).toContain('2 points share addresses');
  expect(within(map).queryByTestId('cell-9')).toBeNull();
  await user.click(within(map).getByTestId('map-area'));
  await user.click(await screen.findByRole('option', { name: '0X coils' }));
  expect(within(map).getByTestId('cell-9')).toBeTruthy();
});

test('a cell opens its point; the address does too; overlaps are told before they are saved', async () => {
  const { slave } = serve({ slave: {}, points: [LEVEL, FLOW] });
  const { user } = await open();
  await user.click(await screen.findByTestId('cell-0'));
  const offset = await screen.findByTestId('field-offset');
  expect(screen.queryByTestId('overlap-note')).toBeNull();
  await user.clear(offset);
  await user.type(offset, '2');
  expect((await screen.findByTestId('overlap-note')).textContent).toContain('plc.flow');
  await user.clear(offset);
  await user.type(offset, '9');
  expect(screen.queryByTestId('overlap-note')).toBeNull();
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(screen.queryByTestId('form-drawer')).toBeNull());
  expect(slave[0]?.body).toEqual({ base: HASH, internal_slave: {}, points: [{ ...LEVEL, offset: 9 }, FLOW] });
});

test('several points are laid behind the others with types of their device', async () => {
  const { slave } = serve({ slave: { id: 3 }, points: [{ ...LEVEL, name: 'other' }] });
  const { user } = await open();
  await user.click(await screen.findByTestId('points-add'));
  await user.click(await screen.findByTestId('field-points'));
  await user.click(await screen.findByRole('option', { name: 'Level (plc.level)' }));
  await user.click(await screen.findByRole('option', { name: 'Flow (plc.flow)' }));
  await user.click(screen.getByTestId('field-writable'));
  expect(
    within(screen.getByTestId('proposed-rows'))
      .getAllByRole('listitem')
      .map((each) => each.textContent),
  ).toEqual(['4X 1 plc.level int16', '4X 2 plc.flow float']);
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(slave).toHaveLength(1));
  expect(slave[0]?.body).toEqual({
    base: HASH,
    internal_slave: { id: 3 },
    points: [
      { ...LEVEL, name: 'other' },
      { ...LEVEL, offset: 1, writable: true },
      { ...FLOW, offset: 2 },
    ],
  });
});

test('what the gateway refuses stands at its field, the drawer stays open, the page lists all of it', async () => {
  serve(
    { slave: {}, points: [LEVEL, FLOW] },
    {
      faults: [
        { field: 'internal_slave_points[1].writable', rule: 'must be false: plc.flow cannot be written' },
        { field: 'internal_slave.port', rule: 'must not be 8081, the port of the local page' },
        { field: 'ports[0].baud', rule: 'of another section' },
      ],
    },
  );
  const { user } = await open('&point=plc.flow');
  await user.click(await screen.findByTestId('field-writable'));
  await user.click(screen.getByTestId('form-save'));
  expect(await screen.findAllByText(/plc.flow cannot be written/)).toHaveLength(2);
  expect(screen.getByTestId('form-drawer')).toBeTruthy();
  const refused = screen.getByTestId('section-refused');
  expect(refused.textContent).toContain('internal_slave.port');
  expect(refused.textContent).not.toContain('another section');
});

test('of two editors the second learns what the first changed, and decides', async () => {
  serve({ slave: {}, points: [LEVEL] });
  const { user } = await open('&point=plc.level');
  await user.clear(await screen.findByTestId('field-offset'));
  await user.type(screen.getByTestId('field-offset'), '5');
  refuse<PutInternalSlaveData>('put', '/api/v1/device/{device_id}/internal-slave', {
    status: 409,
    data: {
      field: 'base',
      rule: 'of a version',
      reason: 'fieldbus.changed',
      arguments: { what: 'plc.level', author: 'bob' },
    },
  });
  await user.click(screen.getByTestId('form-save'));
  expect((await screen.findByTestId('section-changed')).textContent).toContain(
    'bob has changed the same meanwhile (plc.level)',
  );
  const { slave } = serve({ slave: {}, points: [{ ...LEVEL, offset: 7 }, FLOW] });
  await user.click(screen.getByTestId('changed-overwrite'));
  await waitFor(() => expect(slave).toHaveLength(1));
  expect(slave[0]?.body).toMatchObject({ points: [{ ...LEVEL, offset: 5 }, FLOW] });
});

test('a point that is removed can be brought back', async () => {
  const { slave } = serve({ slave: {}, points: [LEVEL, FLOW] });
  const { user } = await open();
  await user.click((await screen.findAllByTestId('mapped-remove'))[0] as HTMLElement);
  await waitFor(() => expect(slave[0]?.body).toMatchObject({ points: [FLOW] }));
  await user.click(await screen.findByTestId('undo'));
  await waitFor(() => expect(slave[1]?.body).toMatchObject({ points: [FLOW, LEVEL] }));
});

test('figures say what masters read and wrote, and why it does not listen', async () => {
  const figures = {
    id: 7,
    points: 2,
    listens: '0.0.0.0:1502',
    fault: 'cannot listen on port 1502: Address already in use',
    masters: [{ peer: '10.0.0.9:50000', since_ms: T, requests: 12 }],
    requests: 40,
    exceptions: 3,
    values_written: 4,
    refused: 1,
    bad_frames: 2,
    discarded_bytes: 0,
    last_error: '10.0.0.9:50000: plc.level: no good value',
    last_error_ms: T,
  };
  serve({ slave: {} }, { report: { reported_ms: T, internal_slave: figures } });
  await open();
  const text = (await screen.findByTestId('slave-figures')).textContent;
  for (const part of ['Address already in use', '10.0.0.9:50000 (12)', 'no good value', 'no report since'])
    expect(text).toContain(part);
});

test('who may not manage the gateway sees it and changes nothing', async () => {
  serve({ slave: {}, points: [LEVEL] }, { changeable: false });
  const { user } = await open('&point=plc.level', ['Monitor.DeviceMonitor']);
  expect(((await screen.findByTestId('points-add')) as HTMLButtonElement).disabled).toBe(true);
  expect((screen.getByTestId('mapped-edit') as HTMLButtonElement).disabled).toBe(true);
  await user.click(screen.getByTestId('cell-0'));
  expect(screen.queryByTestId('form-drawer')).toBeNull();
});
