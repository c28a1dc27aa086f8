import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type {
  GetAuthListData,
  GetAuthListResponse,
  GetCustomizeInfoData,
  GetCustomizeInfoResponse,
  GetDictionaryData,
  GetDictionaryResponse,
  GetOptionData,
  GetOptionResponse,
  PutDictionaryData,
  PutDictionaryResponse,
  PutOptionData,
  PutOptionResponse,
} from '@/api/generated/types.gen';
import { AlarmLevels } from '@/features/platform/components/AlarmLevels';
import { CloudSwitches } from '@/features/platform/components/CloudSwitches';
import { ExternalLinks } from '@/features/platform/components/ExternalLinks';
import { GatewaySetting } from '@/features/platform/components/GatewaySetting';
import { MapBordersForm } from '@/features/platform/components/MapBordersForm';
import { answer, refuse } from './network';
import type { Call } from './network';
import { show } from './render';

const PLATFORM = { permissions: ['SystemSetting'], userType: 0 };
const LINKS = { ota: '', flow: 'https://flow.example', gis: '', screen: '', ota_hosts: [] };
const LEVELS = [
  { id: 101, title: 'Flood', color: '#c92a2a' },
  { id: 102, title: 'Theft', color: '#ffd43b' },
];
const OPTIONS: Record<string, unknown> = { alarm_levels: LEVELS, links: LINKS, gateway_brand: 'Edge' };

let saved: Call[];
let switched: Call[];

beforeEach(() => {
  answer<GetOptionData, GetOptionResponse>('get', '/api/v1/option', ({ query }) => {
    const name = query.get('name') ?? '';
    return { name, value: OPTIONS[name] } as unknown as GetOptionResponse['data'];
  });
  saved = answer<PutOptionData, PutOptionResponse>(
    'put',
    '/api/v1/option',
    ({ body }) => body as PutOptionResponse['data'],
  );
  answer<GetDictionaryData, GetDictionaryResponse>('get', '/api/v1/dict', { ot: 1, ss: 0, rg: 1 });
  switched = answer<PutDictionaryData, PutDictionaryResponse>('put', '/api/v1/dict', null);
  answer<GetCustomizeInfoData, GetCustomizeInfoResponse>(
    'get',
    '/api/v1/customize/info',
    {} as unknown as GetCustomizeInfoResponse['data'],
  );
  answer<GetAuthListData, GetAuthListResponse>(
    'get',
    '/api/v1/auth/user/authList',
    [] as unknown as GetAuthListResponse['data'],
  );
});

const field = (name: string): HTMLInputElement => screen.getByTestId<HTMLInputElement>(name);
const fields = (name: string): HTMLInputElement[] => screen.getAllByTestId<HTMLInputElement>(name);
const isWrong = (input: HTMLElement | undefined): Promise<void> =>
  waitFor(() => expect(input?.getAttribute('aria-invalid')).toBe('true'));
const textOf = (testId: string): string => screen.getByTestId(testId).textContent;

test('a new level gets the first free number and is saved with a trimmed title', async () => {
  const { user } = await show(<AlarmLevels />, PLATFORM);
  await user.click(await screen.findByTestId('level-add'));
  const added = fields('level-title')[2] as HTMLElement;
  expect(fields('level-id')[2]?.value).not.toBe('');
  expect(new Set(fields('level-id').map(({ value }) => value)).size).toBe(3);
  await user.type(added, ' Intrusion ');
  await user.click(screen.getByTestId('levels-save'));
  await waitFor(() => expect(saved).toHaveLength(1));
  const { name, value } = (saved[0] as Call).body as {
    name: string;
    value: { id: number; title: string; color: string }[];
  };
  expect(name).toBe('alarm_levels');
  expect(value.slice(0, 2)).toEqual(LEVELS);
  expect(value[2]?.title).toBe('Intrusion');
  expect(Object.keys(value[2] ?? {}).toSorted()).toEqual(['color', 'id', 'title']);
});

test.each([
  ['a number that another level has', 'level-id', '102'],
  ['a title of spaces', 'level-title', '   '],
  ['a colour that is none', 'level-color', 'reddish'],
])('%s is told at its field, and nothing is sent', async (_what, name, value) => {
  const { user } = await show(<AlarmLevels />, PLATFORM);
  await screen.findAllByTestId('level-row');
  const input = fields(name)[0] as HTMLElement;
  fireEvent.change(input, { target: { value } });
  await user.click(screen.getByTestId('levels-save'));
  await isWrong(fields(name)[0]);
  expect(saved).toEqual([]);
});

test('a level is taken out by its own button, the other one stays', async () => {
  const { user } = await show(<AlarmLevels />, PLATFORM);
  await user.click(await screen.findByRole('button', { name: /Flood/ }));
  expect(fields('level-title').map(({ value }) => value)).toEqual(['Theft']);
  await user.click(screen.getByTestId('levels-save'));
  await waitFor(() => expect(saved[0]?.body).toEqual({ name: 'alarm_levels', value: [LEVELS[1]] }));
});

test('how well a mark can be read follows its colour', async () => {
  await show(<AlarmLevels />, PLATFORM);
  await screen.findAllByTestId('level-row');
  const legible = (): string => screen.getAllByTestId('level-legible')[0]?.textContent ?? '';
  const before = legible();
  fireEvent.change(fields('level-color')[0] as HTMLElement, { target: { value: '#ffd43b' } });
  await waitFor(() => expect(legible()).toBe(screen.getAllByTestId('level-legible')[1]?.textContent));
  expect(legible()).not.toBe(before);
});

test('levels that cannot be loaded say so and are loaded again on demand', async () => {
  refuse<GetOptionData>('get', '/api/v1/option', { status: 400, code: 20_000, data: { message: 'out of order' } });
  const { user } = await show(<AlarmLevels />, PLATFORM);
  const state = await screen.findByTestId('error-state');
  expect(state.textContent).toContain('out of order');
  answer<GetOptionData, GetOptionResponse>('get', '/api/v1/option', {
    name: 'alarm_levels',
    value: [],
  } as unknown as GetOptionResponse['data']);
  await user.click(within(state).getByRole('button'));
  expect(await screen.findByTestId('empty-state')).toBeTruthy();
  expect(screen.queryByTestId('level-row')).toBeNull();
});

test.each([
  ['without the permission', { permissions: [], userType: 0 }],
  ['of a user who is not of the platform', { permissions: ['SystemSetting'], userType: 1 }],
])('%s nothing of the levels, links and the brand can be changed', async (_what, who) => {
  await show(
    <>
      <AlarmLevels />
      <ExternalLinks />
      <GatewaySetting />
    </>,
    who,
  );
  await screen.findAllByTestId('level-row');
  await screen.findByTestId('link-ota');
  await screen.findByTestId('gateway-brand');
  const inputs = [...fields('level-title'), ...fields('level-remove'), field('level-add'), field('link-ota')];
  expect([...inputs, field('gateway-brand')].filter(({ disabled }) => !disabled)).toEqual([]);
});

test('an address outside must be a web address; it goes out trimmed', async () => {
  const { user } = await show(<ExternalLinks />, PLATFORM);
  const ota = await screen.findByTestId('link-ota');
  await user.type(ota, 'javascript:alert(1)');
  await user.click(screen.getByTestId('links-save'));
  await isWrong(ota);
  expect(saved).toEqual([]);
  await user.clear(ota);
  await user.type(ota, ' https://ota.example/x ');
  await user.click(screen.getByTestId('links-save'));
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]?.body).toEqual({ name: 'links', value: { ...LINKS, ota: 'https://ota.example/x' } });
});

test('the brand of the gateways may not be empty', async () => {
  const { user } = await show(<GatewaySetting />, PLATFORM);
  const brand = await screen.findByTestId('gateway-brand');
  expect(field('gateway-save').disabled).toBe(true);
  await user.clear(brand);
  await user.click(field('gateway-save'));
  await isWrong(brand);
  expect(saved).toEqual([]);
  await user.type(brand, ' Iron ');
  await user.click(field('gateway-save'));
  await waitFor(() => expect(saved[0]?.body).toEqual({ name: 'gateway_brand', value: 'Iron' }));
});

test('a save that is refused is told below the form, and what was typed stays', async () => {
  refuse<PutOptionData>('put', '/api/v1/option', { status: 400, code: 20_000, data: { message: 'disk full' } });
  const { user } = await show(<GatewaySetting />, PLATFORM);
  await user.type(await screen.findByTestId('gateway-brand'), ' 2');
  await user.click(field('gateway-save'));
  await waitFor(() => expect(textOf('gateway-form')).toContain('disk full'));
  expect(field('gateway-brand').value).toBe('Edge 2');
});

test('a switch counts for everybody: it asks first, and sends all switches', async () => {
  const { user } = await show(<CloudSwitches />, PLATFORM);
  const flag = await screen.findByTestId('flag-rl');
  await user.click(flag);
  await user.click(await screen.findByTestId('confirm-no'));
  expect(switched).toEqual([]);
  await user.click(flag);
  await user.click(await screen.findByTestId('confirm-yes'));
  await waitFor(() => expect(switched).toHaveLength(1));
  expect(switched[0]?.body).toEqual({ key: 'CDCF', value: { ot: 1, rl: 1, ss: 0, rg: 1, announced: 0 } });
});

test('only switches with an effect are shown, by their names alone', async () => {
  await show(<CloudSwitches />, PLATFORM);
  await screen.findByTestId('flag-ot');
  expect(screen.queryByTestId('flag-ss')).toBeNull();
  const names = screen.getAllByRole('switch').map((flag) => flag.closest('li')?.querySelector('label')?.textContent);
  expect(names).toEqual([
    expect.stringMatching(/^OTAOn:/),
    expect.stringMatching(/^Permission rulesOn:/),
    expect.stringMatching(/^Show announced pagesOn:/),
  ]);
});

test('turning a switch off is asked for as turning off', async () => {
  const { user } = await show(<CloudSwitches />, PLATFORM);
  await user.click(await screen.findByTestId('flag-ot'));
  const question = (await screen.findByTestId('confirm-dialog')).textContent;
  await user.click(screen.getByTestId('confirm-no'));
  await user.click(screen.getByTestId('flag-rl'));
  const other = (await screen.findByTestId('confirm-dialog')).textContent;
  expect(question).toContain('Turn off');
  expect(other).toContain('Turn on');
});

const LINE = {
  type: 'LineString',
  coordinates: [
    [105, 35],
    [106, 36],
  ],
};

async function borders(file: string | null): Promise<ReturnType<typeof show>> {
  const page = await show(<MapBordersForm borders={{ approval: '', lines: [] }} />, PLATFORM);
  if (file !== null) {
    const input = screen.getByTestId('map-borders-form').querySelector('input[type=file]') as HTMLInputElement;
    fireEvent.change(input, { target: { files: [new File([file], 'lines.geojson')] } });
  }
  return page;
}

test('borders need the number of their approval', async () => {
  const { user } = await borders(JSON.stringify(LINE));
  await waitFor(() => expect(field('borders-approval').disabled).toBe(false));
  expect(textOf('borders-count')).toMatch(/1.*2/);
  await user.click(field('borders-save'));
  await isWrong(field('borders-approval'));
  expect(saved).toEqual([]);
  await user.type(field('borders-approval'), ' GS(2026)1 ');
  await user.click(field('borders-save'));
  await waitFor(() =>
    expect(saved[0]?.body).toEqual({
      name: 'map_borders',
      value: { approval: 'GS(2026)1', lines: [LINE.coordinates] },
    }),
  );
});

test.each([
  ['is no JSON', '{'],
  ['has no lines', '{"type":"Point","coordinates":[1,2]}'],
  [
    'is beyond the globe',
    JSON.stringify({
      ...LINE,
      coordinates: [
        [400000, 1],
        [1, 2],
      ],
    }),
  ],
])('a file that %s is refused in words, and changes nothing', async (_what, file) => {
  await borders(file);
  const form = within(screen.getByTestId('map-borders-form'));
  await waitFor(() => expect(form.getAllByRole('alert')[0]?.textContent).not.toBe(''));
  expect(field('borders-save').disabled).toBe(true);
  expect(field('borders-approval').disabled).toBe(true);
});
