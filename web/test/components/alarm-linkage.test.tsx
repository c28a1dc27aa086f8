import { screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { ListPresetsData, ListPresetsResponse } from '@/api/generated/types.gen';
import { newPoint } from '@/blocks/points/point';
import { AlarmLinkage } from '@/features/points/components/AlarmLinkage';
import { answer } from './network';
import { show } from './render';

const put = vi.fn();

async function linkage(fields: Record<string, unknown>, ...presets: { id: number; title: string }[]) {
  put.mockReset();
  answer<ListPresetsData, ListPresetsResponse>('get', '/api/v1/device/{device_id}/preset', {
    rows: presets,
    total: presets.length,
  } as unknown as ListPresetsResponse['data']);
  const point = newPoint({ ds_name: 'a', ...fields }, 'a');
  return show(<AlarmLinkage deviceId={5} point={point} disabled={false} onChange={put} />);
}

const said = (): unknown => (put.mock.lastCall as [{ fields: Record<string, unknown> }])[0].fields.alarm_linkage;

test('the first preset of the gateway is added for the beginning of the alarm', async () => {
  const { user } = await linkage({}, { id: 3, title: 'Stop' }, { id: 4, title: 'Start' });
  const add = screen.getByTestId('alarm-linkage-add');
  await waitFor(() => expect(add).toHaveProperty('disabled', false));
  await user.click(add);
  expect(said()).toEqual([{ on: 'raised', preset_id: 3 }]);
});

test('a linkage to a preset of another gateway stays and is named by its number', async () => {
  const { user } = await linkage({ alarm_linkage: [{ on: 'cleared', preset_id: 9 }] }, { id: 3, title: 'Stop' });
  await waitFor(() => expect(screen.getByDisplayValue('#9')).toBeDefined());
  await user.click(screen.getByRole('button', { name: 'Remove the linkage' }));
  expect(said()).toBeUndefined();
});

test('without presets it says where they are made', async () => {
  await linkage({});
  expect(await screen.findByText(/no presets yet/)).toBeDefined();
  expect(screen.getByTestId('alarm-linkage-add')).toHaveProperty('disabled', true);
});
