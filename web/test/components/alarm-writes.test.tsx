import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import type {
  AlarmLinkage,
  ListAlarmLinkagesData,
  ListAlarmLinkagesResponse,
  LinkageWriteRow,
} from '@/api/generated/types.gen';
import { AlarmWrites } from '@/features/events/components/AlarmWrites';
import { alarm } from './alarm-fixtures';
import { answer, refuse } from './network';
import { show } from './render';

const URL: ListAlarmLinkagesData['url'] = '/api/v1/event/alarmlog/{event_id}/linkage';
const ROW = alarm({ rule_id: 8 });

function write(changes: Partial<LinkageWriteRow> = {}): LinkageWriteRow {
  return {
    dsid: 12,
    device_id: 5,
    device_title: 'Boiler house',
    slave_title: 'Boiler',
    ds_title: 'Setpoint',
    point: {
      ds_type: 'num',
      data_type: 'float32',
      decimals: 1,
      unit: 'bar',
      selector: null,
      on_text: '',
      off_text: '',
    },
    value: 40,
    result_value: null,
    state: 'done',
    code: '',
    at_ms: 1_790_000_000_000,
    command_id: 'command-000',
    ...changes,
  };
}

function linkage(changes: Partial<AlarmLinkage> = {}): AlarmLinkage {
  return {
    on: 'raised',
    trigger: 'Boiler too hot',
    preset_id: 3,
    preset_title: 'Cool down',
    at_ms: 1_790_000_000_000,
    at_gateway: false,
    state: 'done',
    problem: '',
    writes: [write()],
    more: 0,
    hidden: 0,
    ...changes,
  };
}

async function told(...linkages: AlarmLinkage[]): Promise<string> {
  answer<ListAlarmLinkagesData, ListAlarmLinkagesResponse>('get', URL, linkages);
  await show(<AlarmWrites row={ROW} />, { permissions: ['Event'] });
  return (await screen.findByTestId('alarm-linkages')).textContent ?? '';
}

test('each write has its point, its value, what came of it and why', async () => {
  const text = await told(
    linkage({
      at_gateway: true,
      writes: [
        write(),
        write({ state: 'failed', code: 'mismatch', result_value: 39, device_id: 6, device_title: 'Cellar' }),
        write({ state: 'unknown', code: 'no_answer' }),
      ],
      more: 2,
      hidden: 1,
    }),
  );
  expect(text).toContain('On alarm · Trigger Boiler too hot · Cool down · by the gateway');
  const lines = screen.getAllByTestId('alarm-write').map(({ textContent }) => textContent);
  expect(lines[0]).toMatch(/Boiler · Setpoint = 40.0 bar · Done$/);
  expect(lines[1]).toMatch(
    /Cellar · Boiler · Setpoint = 40.0 bar · Failed · the read-back value differs.* · read back: 39.0 bar$/,
  );
  expect(lines[2]).toMatch(/Result unknown, may have been written · no response$/);
  expect(text).toContain('and 2 more writes');
  expect(text).toContain('1 write to a gateway that you do not see');
});

test.each([
  ['left_out', 'linkage_limited', /Left out by the limit · .*rest for 10 minutes/],
  ['refused', 'no_right', /Not carried out · .*may not write there any more/],
  ['refused', 'deleted', /Not carried out · the trigger was deleted before/],
  ['refused', 'expired', /Not carried out · command expired/],
  ['refused', 'brand_new', /Not carried out · brand_new/],
  ['unreported', '', /No result reported/],
] as const)('what was not carried out says why: %s %s', async (state, problem, words) => {
  const planned = write({ state, code: problem, at_ms: null, command_id: null });
  expect(await told(linkage({ state, problem, writes: [planned] }))).toMatch(words);
  expect(screen.getByTestId('alarm-write').textContent).toBe('Boiler · Setpoint = 40.0 bar');
});

test('a preset that is gone has its number; an alarm without linkages has no list', async () => {
  expect(await told(linkage({ on: 'cleared', preset_title: '' }))).toContain(
    'On return · Trigger Boiler too hot · Preset command 3',
  );
});

test('no linkage is no list, and what cannot be loaded is said', async () => {
  answer<ListAlarmLinkagesData, ListAlarmLinkagesResponse>('get', URL, []);
  const { unmount } = await show(<AlarmWrites row={alarm()} />, { permissions: ['Event'] });
  expect(screen.queryByTestId('alarm-linkages')).toBeNull();
  unmount();
  refuse('get', URL, { status: 403, code: 10_001 });
  await show(<AlarmWrites row={ROW} />, { permissions: ['Event'] });
  await waitFor(() => expect(screen.getByTestId('alarm-linkages').textContent).toContain('could not be loaded'));
});
