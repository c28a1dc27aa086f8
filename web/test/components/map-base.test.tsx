import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type {
  ListMapFilesData,
  ListMapFilesResponse,
  MapBase,
  PutOptionData,
  PutOptionResponse,
} from '@/api/generated/types.gen';
import { MapBaseForm } from '@/features/platform/components/MapBaseForm';
import { answerMap } from './map-fixtures';
import { answer, refuse } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

beforeEach(answerMap);

const XYZ: MapBase = {
  kind: 'xyz',
  url: 'https://tiles.example.com/{z}/{x}/{y}.png',
  datum: 'GCJ02',
  max_zoom: 16,
  credit: 'Example',
};

async function base(
  of: MapBase = { kind: 'builtin' },
  userType = 0,
  permissions = ['SystemSetting'],
): Promise<Rendered> {
  return show(<MapBaseForm base={of} />, { permissions, userType });
}

const saves = (): Call[] => answer<PutOptionData, PutOptionResponse>('put', '/api/v1/option', null);
const save = (): HTMLButtonElement => screen.getByTestId<HTMLButtonElement>('map-base-save');
const field = (name: string): HTMLInputElement => screen.getByTestId<HTMLInputElement>(`map-${name}`);

function serveFiles(names: readonly string[]): Call[] {
  return answer<ListMapFilesData, ListMapFilesResponse>(
    'get',
    '/api/v1/map/file',
    names.map((name) => ({ name, size: 1 })) as never,
  );
}

test('the built-in ground asks for nothing; without a change nothing is saved', async () => {
  await base();
  for (const none of ['file', 'url', 'key', 'datum']) expect(screen.queryByTestId(`map-${none}`)).toBeNull();
  expect(save().disabled).toBe(true);
});

test('a file of the server is chosen from those that there are, and must be', async () => {
  serveFiles(['china.pmtiles', 'world.pmtiles']);
  const sent = saves();
  const { user } = await base();
  await user.click(screen.getByTestId('map-kind-pmtiles'));
  await user.click(save());
  expect(await screen.findByText('Select a map file', { selector: 'p' })).toBeTruthy();
  expect(sent).toEqual([]);
  await user.click(field('file'));
  await user.click(await screen.findByRole('option', { name: 'world.pmtiles', hidden: true }));
  await user.click(save());
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]?.body).toMatchObject({ name: 'map_base', value: { kind: 'pmtiles', file: 'world.pmtiles' } });
  expect(screen.queryByTestId('map-reload')).toBeNull();
});

test('without a file the field says where one goes; a chosen file that is gone is still named', async () => {
  serveFiles([]);
  const { unmount } = await base({ kind: 'pmtiles' });
  await waitFor(() => expect(field('file').placeholder).toContain('There is no map file'));
  unmount();
  await base({ kind: 'pmtiles', file: 'gone.pmtiles' });
  expect(field('file').value).toBe('gone.pmtiles');
});

test.each([
  ['url', 'https://tiles.example.com/{z}/{x}.png', 'Enter an http(s):// address with {z}, {x} and {y}'],
  ['url', 'ftp://tiles.example.com/{z}/{x}/{y}.png', 'Enter an http(s):// address with {z}, {x} and {y}'],
  ['label_url', 'labels', 'Enter an http(s):// address with {z}, {x} and {y}'],
  ['label_url', 'https://a.example.com/{z}/{x}/{y}?k={key}', 'The address contains {key}: enter the key'],
])('tiles whose %s is %s are not saved', async (name, text, words) => {
  const sent = saves();
  const { user } = await base(XYZ);
  await user.clear(field(name));
  await user.click(field(name));
  await user.paste(text);
  await user.click(save());
  expect(await screen.findByText(words)).toBeTruthy();
  expect(sent).toEqual([]);
});

test('a service is saved without blanks around its address and key; a new host wants a reload', async () => {
  const sent = saves();
  const { user } = await base();
  await user.click(screen.getByTestId('map-kind-xyz'));
  await user.click(field('url'));
  await user.paste('  https://t.example.com/{z}/{x}/{y}?tk={key} ');
  await user.type(field('key'), ' secret ');
  await user.click(save());
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]?.body).toMatchObject({
    name: 'map_base',
    value: {
      kind: 'xyz',
      url: 'https://t.example.com/{z}/{x}/{y}?tk={key}',
      key: 'secret',
      datum: 'WGS84',
      max_zoom: 18,
    },
  });
  expect(await screen.findByTestId('map-reload')).toBeTruthy();
  expect(save().disabled).toBe(true);
});

test('another path of the same host wants no reload', async () => {
  const sent = saves();
  const { user } = await base(XYZ);
  await user.clear(field('url'));
  await user.click(field('url'));
  await user.paste('https://tiles.example.com/v2/{z}/{x}/{y}.png');
  await user.click(save());
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(await screen.findByText('Saved')).toBeTruthy();
  expect(screen.queryByTestId('map-reload')).toBeNull();
});

test('an example fills in addresses and datum, and still wants a key', async () => {
  const sent = saves();
  const { user } = await base(XYZ);
  await user.click(screen.getByRole('button', { name: 'Tianditu imagery' }));
  expect(field('url').value).toContain('LAYER=img');
  expect(field('label_url').value).toContain('LAYER=cia');
  expect(field('datum').value).toBe('WGS-84 (GPS)');
  await user.click(save());
  expect(await screen.findByText('The address contains {key}: enter the key')).toBeTruthy();
  expect(sent).toEqual([]);
});

test('the key is shown on demand only', async () => {
  const { user } = await base({ ...XYZ, key: 'secret' });
  expect(field('key').type).toBe('password');
  await user.click(screen.getByRole('button', { name: 'Show or hide the key', hidden: true }));
  expect(field('key').type).toBe('text');
});

test('what the cloud says of a field stands at it; what it says of none stands above the button', async () => {
  refuse<PutOptionData>('put', '/api/v1/option', {
    status: 400,
    data: { field: 'map_base.value.key', rule: 'must match the pattern' },
  });
  const { user } = await base(XYZ);
  await user.type(field('key'), 'a b');
  await user.click(save());
  const said = await screen.findByText('must match the pattern');
  expect(said.closest('[role="alert"]')).toBeNull();
  expect(field('key').getAttribute('aria-describedby')).toContain(said.id);
  refuse<PutOptionData>('put', '/api/v1/option', { status: 500, code: 20_000, data: { message: 'disk full' } });
  await user.type(field('key'), 'c');
  await user.click(save());
  expect(await screen.findByText(/disk full/)).toBeTruthy();
  expect(save().disabled).toBe(false);
});

test.each([
  ['another user than the platform’s', 1, ['SystemSetting']],
  ['a platform user without the permission', 0, []],
])('%s sees the settings and changes none, and no file is asked for', async (_who, userType, permissions) => {
  const files = serveFiles(['china.pmtiles']);
  const { unmount } = await base({ kind: 'pmtiles', file: 'china.pmtiles' }, userType, permissions);
  expect(field('file').value).toBe('china.pmtiles');
  expect([field('file').disabled, field('kind-xyz').disabled, save().disabled]).toEqual([true, true, true]);
  unmount();
  await base(XYZ, userType, permissions);
  for (const name of ['url', 'label_url', 'key', 'datum']) expect(field(name).disabled).toBe(true);
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Tianditu imagery' }).disabled).toBe(true);
  expect(files).toEqual([]);
});
