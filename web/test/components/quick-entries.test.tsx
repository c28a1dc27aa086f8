import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import type {
  GetUserOptionData,
  GetUserOptionResponse,
  PutUserOptionData,
  PutUserOptionResponse,
} from '@/api/generated/types.gen';
import { queryClient } from '@/app/queryClient';
import QuickEntries from '@/features/platform/screens/QuickEntries';
import { usePreferences } from '@/lib/preferences';
import type { QuickEntry } from '@/lib/quickEntries';
import { answer, network, refuse } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

const OPTION = '/api/v1/user/option';
const PICTURE = `/api/v1/file/${'a'.repeat(64)}`;

function entry(text: string, changes: Partial<QuickEntry> = {}): QuickEntry {
  return { text, url: `/${text.toLowerCase()}`, icon: 'link', newWindow: false, ...changes };
}

/** What the cloud holds; a saved list is what it answers next. */
let kept: unknown[];
let saved: Call[];

beforeEach(() => {
  usePreferences.setState({ pageSize: 20 });
  kept = [];
  answer<GetUserOptionData, GetUserOptionResponse>('get', OPTION, ({ query }) => {
    const name = query.get('name');
    return { name, value: name === 'user_config' ? kept : null } as unknown as GetUserOptionResponse['data'];
  });
  saved = answer<PutUserOptionData, PutUserOptionResponse>('put', OPTION, ({ body }) => {
    kept = (body as { value: unknown[] }).value;
    return body as PutUserOptionResponse['data'];
  });
});

const field = (name: string): HTMLInputElement => screen.getByTestId<HTMLInputElement>(name);
const at = (name: string, place: number): HTMLElement => screen.getAllByTestId(name)[place] as HTMLElement;
const isWrong = (name: string): Promise<void> =>
  waitFor(() => expect(field(name).getAttribute('aria-invalid')).toBe('true'));
const names = (): (string | undefined)[] =>
  screen.queryAllByTestId('entry-row').map((row) => row.querySelector('b')?.textContent);
const savedNames = (call: Call | undefined): string[] =>
  ((call?.body as { value: QuickEntry[] } | undefined)?.value ?? []).map(({ text }) => text);

async function entries(given: QuickEntry[]): Promise<Rendered> {
  kept = given.map((each, position) => ({ ...each, position }));
  const page = await show(<QuickEntries />);
  if (given.length === 0) await screen.findByTestId('empty-state');
  else await waitFor(() => expect(screen.getAllByTestId('entry-row')).toHaveLength(given.length));
  return page;
}

async function form(given: QuickEntry[] = []): Promise<Rendered> {
  const page = await entries(given);
  await page.user.click(field('entry-add'));
  await screen.findByTestId('form-drawer');
  return page;
}

test('a link is added behind the others, trimmed, with icon and place', async () => {
  const { user } = await form([entry('Map')]);
  await user.type(field('entry-text'), ' Weather ');
  await user.type(field('entry-url'), ' https://weather.example/x?y=1 ');
  await user.click(screen.getByRole('radio', { name: 'Energy' }));
  await user.click(field('form-save'));
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]?.body).toEqual({
    name: 'user_config',
    value: [
      { ...entry('Map'), position: 0 },
      { text: 'Weather', url: 'https://weather.example/x?y=1', icon: 'energy', newWindow: true, position: 1 },
    ],
  });
  await waitFor(() => expect(names()).toEqual(['Map', 'Weather']));
  expect(screen.queryByTestId('form-drawer')).toBeNull();
});

test.each([
  '',
  'javascript:alert(1)',
  'data:text/html,x',
  '//evil.example',
  '/\\evil.example',
  'weather.example',
  'https://a b.example',
  `https://a.example/${'x'.repeat(500)}`,
])('%j is no address of a link', async (url) => {
  const { user } = await form();
  await user.type(field('entry-text'), 'Weather');
  fireEvent.change(field('entry-url'), { target: { value: url } });
  await user.click(field('form-save'));
  await isWrong('entry-url');
  expect(saved).toEqual([]);
});

test('a link needs a name', async () => {
  const { user } = await form();
  await user.type(field('entry-text'), '   ');
  await user.type(field('entry-url'), '/map');
  await user.click(field('form-save'));
  await isWrong('entry-text');
  expect(screen.getByText('Enter a name')).toBeTruthy();
  expect(saved).toEqual([]);
});

test('an edit begins with what is there and changes only its own link', async () => {
  const { user } = await entries([entry('Map'), entry('Alarms', { icon: 'alarm', newWindow: true }), entry('Wall')]);
  await user.click(at('entry-edit', 1));
  await screen.findByTestId('form-drawer');
  expect([field('entry-text').value, field('entry-url').value]).toEqual(['Alarms', '/alarms']);
  expect(field('entry-window').checked).toBe(true);
  expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Alarm' }).checked).toBe(true);
  expect(field('form-save').disabled).toBe(true);
  await user.click(field('entry-window'));
  await user.click(field('form-save'));
  await waitFor(() => expect(saved).toHaveLength(1));
  const { value } = (saved[0] as Call).body as { value: QuickEntry[] };
  expect(value.map(({ text, newWindow }) => [text, newWindow])).toEqual([
    ['Map', false],
    ['Alarms', false],
    ['Wall', false],
  ]);
});

test('an uploaded picture is the icon; without it the first icon is chosen again', async () => {
  network.use(
    http.post('*/api/v1/file', () => HttpResponse.json({ code: 0, msg: '', data: { url: PICTURE, bytes: 1 } })),
  );
  await form();
  const input = screen.getByTestId('form-drawer').querySelector('input[type=file]') as HTMLInputElement;
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  fireEvent.change(input, { target: { files: [new File([png], 'own.png')] } });
  await waitFor(() => expect(screen.getByTestId('upload-icon').querySelector('img')?.src).toContain(PICTURE));
  expect(screen.getAllByRole<HTMLInputElement>('radio').filter(({ checked }) => checked)).toEqual([]);
  fireEvent.click(screen.getByTestId('upload-remove'));
  await waitFor(() => expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Link' }).checked).toBe(true));
});

test('a link that the cloud refuses is told in the form alone, and the list is as it was', async () => {
  const { user } = await form([entry('Map')]);
  refuse<PutUserOptionData>('put', OPTION, { status: 400, code: 20_000, data: { message: 'too large' } });
  await user.type(field('entry-text'), 'Weather');
  await user.type(field('entry-url'), '/weather');
  await user.click(field('form-save'));
  expect((await screen.findByTestId('form-failure')).textContent).toContain('too large');
  expect(screen.getAllByText(/too large/)).toHaveLength(1);
  expect(field('entry-text').value).toBe('Weather');
  await waitFor(() => expect(names()).toEqual(['Map']));
});

test('links are moved by their buttons and by key, and it is said where they are', async () => {
  const { user } = await entries([entry('Map'), entry('Alarms'), entry('Wall')]);
  expect(at('entry-up', 0).getAttribute('aria-disabled')).toBe('true');
  expect(at('entry-down', 2).getAttribute('aria-disabled')).toBe('true');
  await user.click(at('entry-down', 0));
  await waitFor(() => expect(savedNames(saved[0])).toEqual(['Alarms', 'Map', 'Wall']));
  expect(screen.getByTestId('entry-said').textContent).toBe('Map is now 2 of 3');
  act(() => at('entry-handle', 2).focus());
  await user.keyboard('{ArrowUp}');
  await waitFor(() => expect(savedNames(saved[1])).toEqual(['Alarms', 'Wall', 'Map']));
  expect(names()).toEqual(['Alarms', 'Wall', 'Map']);
  await user.click(at('entry-up', 0));
  act(() => at('entry-handle', 0).focus());
  await user.keyboard('{ArrowUp}');
  expect(saved).toHaveLength(2);
});

test('a link is dragged to the place of another one', async () => {
  await entries([entry('Map'), entry('Alarms'), entry('Wall')]);
  const dataTransfer = { setData: vi.fn(), effectAllowed: '' };
  fireEvent.dragStart(at('entry-row', 2), { dataTransfer });
  fireEvent.dragOver(at('entry-row', 0), { dataTransfer });
  expect(at('entry-row', 0).dataset.over).toBe('true');
  fireEvent.drop(at('entry-row', 0), { dataTransfer });
  await waitFor(() => expect(savedNames(saved[0])).toEqual(['Wall', 'Map', 'Alarms']));
  expect(at('entry-row', 0).dataset.over).toBeUndefined();
});

test('a move that is not kept is taken back and told', async () => {
  const { user } = await entries([entry('Map'), entry('Alarms')]);
  refuse<PutUserOptionData>('put', OPTION, { status: 500, code: 20_000, data: { message: 'disk full' } });
  await user.click(at('entry-down', 0));
  expect(await screen.findByText(/disk full/)).toBeTruthy();
  await waitFor(() => expect(names()).toEqual(['Map', 'Alarms']));
  expect(screen.getByTestId('entry-said').textContent).toBe('');
});

test('a link is removed after a question, and put back to its place', async () => {
  const { user } = await entries([entry('Map'), entry('Alarms'), entry('Wall')]);
  await user.click(at('entry-remove', 1));
  expect((await screen.findByTestId('confirm-dialog')).textContent).toContain('Delete Alarms?');
  await user.click(field('confirm-no'));
  await waitFor(() => expect(screen.queryByTestId('confirm-dialog')).toBeNull());
  expect(saved).toEqual([]);
  await user.click(at('entry-remove', 1));
  await user.click(await screen.findByTestId('confirm-yes'));
  await waitFor(() => expect(names()).toEqual(['Map', 'Wall']));
  await user.click(await screen.findByTestId('undo'));
  await waitFor(() => expect(savedNames(saved[1])).toEqual(['Map', 'Alarms', 'Wall']));
});

test('of two links that are alike one is removed, and one stays', async () => {
  const told = vi.spyOn(console, 'error');
  const { user } = await entries([entry('Map'), entry('Map'), entry('Wall')]);
  await user.click(at('entry-remove', 0));
  await user.click(await screen.findByTestId('confirm-yes'));
  await waitFor(() => expect(names()).toEqual(['Map', 'Wall']));
  expect(told).not.toHaveBeenCalled();
  told.mockRestore();
});

test('there are at most twenty links', async () => {
  await entries(Array.from({ length: 20 }, (_, place) => entry(`Page ${place}`)));
  expect(field('entry-add').disabled).toBe(true);
});

test('addresses that a browser must not open are not listed; no link at all is said', async () => {
  const { unmount } = await entries([entry('Map')]);
  unmount();
  kept = [{ ...entry('Evil', { url: 'javascript:alert(1)' }), position: 0 }];
  queryClient.clear();
  await show(<QuickEntries />);
  expect((await screen.findByTestId('empty-state')).textContent).toContain('No quick links yet');
});

test('links that cannot be read are not written over', async () => {
  refuse<GetUserOptionData>('get', OPTION, { status: 500, code: 20_000, data: { message: 'disk full' } });
  await show(<QuickEntries />);
  expect((await screen.findByTestId('error-state')).textContent).toContain('disk full');
  expect(field('entry-add').disabled).toBe(true);
});
