import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import type {
  GetOptionData,
  GetOptionResponse,
  ListAlarmLevelUsesData,
  ListAlarmLevelUsesResponse,
  PutOptionData,
  PutOptionResponse,
} from '@/api/generated/types.gen';
import { AlarmLevels } from '@/features/platform/components/AlarmLevels';
import { answer, refuse } from './network';
import { show } from './render';
import type { Rendered } from './render';

const LEVELS = [
  { id: 201, title: 'Oil', color: '#f00' },
  { id: 202, title: 'Heat', color: '#0f0' },
];

async function levels(): Promise<Rendered> {
  answer<GetOptionData, GetOptionResponse>('get', '/api/v1/option', {
    name: 'alarm_levels',
    value: LEVELS,
  } as unknown as GetOptionResponse['data']);
  const asked = answer<ListAlarmLevelUsesData, ListAlarmLevelUsesResponse>('get', '/api/v1/trigger/level-uses', [
    { level: 201, rules: 3, alarms: 1 },
  ]);
  const page = await show(<AlarmLevels />, { permissions: ['SystemSetting'], userType: 0 });
  await waitFor(() => expect(asked[0]?.query.getAll('level')).toEqual(['201', '202']));
  return page;
}

test('what uses a level is said, and one in use is not deleted or renumbered', async () => {
  const { user } = await levels();
  await screen.findByText('Used by 3 rules and 1 standing alarm');
  expect(screen.getAllByTestId('level-uses').map(({ textContent }) => textContent)).toEqual([
    'Used by 3 rules and 1 standing alarm',
    'Not used',
  ]);
  const [used, unused] = screen.getAllByTestId<HTMLButtonElement>('level-remove');
  expect([used?.disabled, unused?.disabled]).toEqual([true, false]);
  expect(used?.title).toContain('cannot be deleted');
  expect(screen.getAllByTestId<HTMLInputElement>('level-id').map(({ disabled }) => disabled)).toEqual([true, false]);
  const saved = answer<PutOptionData, PutOptionResponse>('put', '/api/v1/option', null);
  await user.click(unused as HTMLButtonElement);
  await user.click(screen.getByTestId('level-add'));
  expect(screen.getAllByTestId('level-uses').map(({ textContent }) => textContent)[1]).toBe('Not used');
  await user.type(screen.getAllByTestId('level-title')[1] as HTMLElement, 'New');
  await user.click(screen.getByTestId('levels-save'));
  await waitFor(() => expect(saved).toHaveLength(1));
});

test('a level that somebody began to use meanwhile is refused in words', async () => {
  const { user } = await levels();
  refuse('put', '/api/v1/option', {
    status: 409,
    data: { field: 'value', reason: 'alarm_level.in_use', arguments: { title: 'Heat', rules: 2, alarms: 0 } },
  });
  await user.click(screen.getAllByTestId('level-remove')[1] as HTMLElement);
  await user.click(screen.getByTestId('levels-save'));
  expect(await screen.findByText(/"Heat" cannot be deleted: rules 2/)).toBeDefined();
});
