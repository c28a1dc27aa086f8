import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type {
  GetRetentionData,
  GetRetentionEffectData,
  GetRetentionEffectResponse,
  GetRetentionResponse,
  ListUsersData,
  ListUsersResponse,
  PutRetentionData,
  PutRetentionResponse,
  RetentionDays,
  Retentions,
} from '@/api/generated/types.gen';
import { queryClient } from '@/app/queryClient';
import RetentionPage from '@/features/history/screens/RetentionPage';
import { answer, refuse } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

const RETENTION = '/api/v1/retention';
const EFFECT = '/api/v1/retention/effect';
const DAY_MS = 86_400_000;
const PLATFORM = { permissions: ['SystemSetting'], userType: 0 };
const DAYS: RetentionDays = { raw_days: 30, minute_days: 90, quarter_days: 0, hour_days: 0, day_days: 0 };
const FOR_EVER: RetentionDays = { raw_days: 0, minute_days: 0, quarter_days: 0, hour_days: 0, day_days: 0 };
const LI = { user_id: 7, user_name: 'li', kept: DAYS };

let saved: Call[];
let effects: Call[];
let read: Call[];

function losses(rows: { field: string; before_ms: number; points: number }[]): void {
  effects = answer<GetRetentionEffectData, GetRetentionEffectResponse>('get', EFFECT, {
    points: rows.length,
    losses: rows,
  } as GetRetentionEffectResponse['data']);
}

function answerRetention(changes: Partial<Retentions>): void {
  read = answer<GetRetentionData, GetRetentionResponse>('get', RETENTION, {
    platform: null,
    users: [],
    clock_ahead_ms: 0,
    own_limit_s: null,
    ...changes,
  });
}

beforeEach(() => {
  saved = answer<PutRetentionData, PutRetentionResponse>('put', RETENTION, {} as PutRetentionResponse['data']);
  losses([]);
  answer<ListUsersData, ListUsersResponse>('get', '/api/v1/auth/user', {
    rows: [
      { user_id: 7, user_name: 'li', nick_name: '' },
      { user_id: 8, user_name: 'wang', nick_name: '' },
    ],
    total: 2,
  } as unknown as ListUsersResponse['data']);
});

async function page(changes: Partial<Retentions> = {}, who: Parameters<typeof show>[1] = PLATFORM): Promise<Rendered> {
  queryClient.clear();
  answerRetention(changes);
  const shown = await show(<RetentionPage />, who);
  await screen.findByTestId('retention-platform');
  return shown;
}

const field = (name: string): HTMLInputElement => screen.getByTestId<HTMLInputElement>(name);
const days = (name: string): HTMLInputElement => field(`kept-${name}`);
const card = (name: string): HTMLElement => screen.getByRole('article', { name });
const facts = (of: HTMLElement): string[] => [...of.querySelectorAll('dd')].map(({ textContent }) => textContent);

async function edit({ user }: Rendered, name: string): Promise<void> {
  await user.click(within(card(name)).getByTestId('retention-edit'));
  await screen.findByTestId('form-drawer');
}

async function set({ user }: Rendered, name: string, value: string): Promise<void> {
  await user.clear(days(name));
  if (value !== '') await user.type(days(name), value);
}

test('what holds for everybody and for single users is told in days, the finest data first', async () => {
  await page({ platform: { ...DAYS, day_days: 3650 }, users: [LI] });
  expect(facts(card('Platform default'))).toEqual(['30 d', '90 d', 'Forever', 'Forever', '3650 d']);
  expect(facts(card('li'))).toEqual(['30 d', '90 d', 'Forever', 'Forever', 'Forever']);
  expect(screen.queryByTestId('empty-state')).toBeNull();
  expect(card('Platform default').textContent).not.toContain('Not set');
});

test('where nothing is set everything is kept, and that is said', async () => {
  await page();
  expect(card('Platform default').textContent).toContain('Not set: all data is kept forever');
  expect(facts(card('Platform default'))).toEqual(Array.from({ length: 5 }, () => 'Forever'));
  expect(screen.getByTestId('empty-state').textContent).toContain('No user has a setting of their own');
});

test.each([
  ['without the permission', { permissions: [], userType: 0 }],
  ['who is not of the platform', { permissions: ['SystemSetting'], userType: 1 }],
])('a user %s changes days of users alone', async (_who, who) => {
  await page({ users: [LI] }, who);
  expect(within(card('Platform default')).queryByTestId('retention-edit')).toBeNull();
  expect(within(card('li')).getByTestId('retention-edit')).toBeTruthy();
});

test.each([
  [0, null],
  [2.4 * DAY_MS, '2 days ahead'],
])('a clock that is %i ms ahead of the gateways: %s', async (ahead, words) => {
  await page({ clock_ahead_ms: ahead });
  const told = screen.queryByTestId('retention-ahead');
  if (words === null) expect(told).toBeNull();
  else expect(told?.textContent).toContain(words);
});

test('a database that deletes by itself is told of', async () => {
  await page({ own_limit_s: 2_592_000 });
  expect(screen.getByTestId('retention-own-limit').textContent).toContain('for 30 days only');
});

test('days of the platform are sent as a whole, for nobody in particular; the page shows them', async () => {
  const shown = await page();
  await edit(shown, 'Platform default');
  await set(shown, 'raw_days', '400');
  answerRetention({ platform: { ...FOR_EVER, raw_days: 400 } });
  await shown.user.click(field('form-save'));
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]?.body).toEqual({ user_id: null, kept: { ...FOR_EVER, raw_days: 400 } });
  const query = effects[0]?.query;
  expect(query?.get('raw_days')).toBe('400');
  expect(query?.has('user_id')).toBe(false);
  await waitFor(() => expect(facts(card('Platform default'))[0]).toBe('400 d'));
  expect(screen.queryByTestId('form-drawer')).toBeNull();
});

test('what is proposed for the platform may be saved as it is; what is set already not', async () => {
  const { unmount, ...shown } = await page();
  await edit({ ...shown, unmount }, 'Platform default');
  expect(field('form-save').disabled).toBe(false);
  unmount();
  const again = await page({ users: [LI] });
  await edit(again, 'li');
  expect(field('form-save').disabled).toBe(true);
});

test.each([
  ['raw_days', '36501', 'raw_days', 'A whole number from 0 to 36500'],
  ['minute_days', '29', 'minute_days', 'Must not be shorter than for finer data'],
  ['raw_days', '91', 'minute_days', 'Must not be shorter than for finer data'],
  ['raw_days', '0', 'minute_days', 'Must not be shorter than for finer data'],
  ['raw_days', '', 'raw_days', 'A whole number from 0 to 36500'],
])('%s of %j is wrong at %s, and nothing is sent', async (name, value, wrong, words) => {
  const shown = await page({ users: [LI] });
  await edit(shown, 'li');
  await set(shown, name, value);
  await shown.user.click(field('form-save'));
  await waitFor(() => expect(days(wrong).getAttribute('aria-invalid')).toBe('true'));
  expect(screen.getByText(words)).toBeTruthy();
  expect([...effects, ...saved]).toEqual([]);
});

test('what is deleted is told before, with its number of points; no leaves everything as it is', async () => {
  losses([
    { field: 'raw_days', before_ms: 1_700_000_000_000, points: 1 },
    { field: 'minute_days', before_ms: 1_690_000_000_000, points: 12 },
  ]);
  const shown = await page({ users: [LI] });
  await edit(shown, 'li');
  await set(shown, 'raw_days', '10');
  await shown.user.click(field('form-save'));
  const told = within(await screen.findByTestId('retention-losses')).getAllByRole('listitem');
  expect(told.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^Samples of 1 point before 2023-11-1/),
    expect.stringMatching(/^1 minute of 12 points before 2023-07-2/),
  ]);
  await shown.user.click(field('confirm-no'));
  await waitFor(() => expect(screen.queryByTestId('confirm-dialog')).toBeNull());
  expect(saved).toEqual([]);
  expect(days('raw_days').value).toBe('10 days');
  await shown.user.click(field('form-save'));
  await shown.user.click(await screen.findByTestId('confirm-yes'));
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]?.body).toEqual({ user_id: 7, kept: { ...DAYS, raw_days: 10 } });
  expect(effects[0]?.query.get('user_id')).toBe('7');
});

test('what a change deletes is not guessed: when the cloud cannot tell, nothing is saved', async () => {
  refuse<GetRetentionEffectData>('get', EFFECT, { status: 500, code: 20_000, data: { message: 'no database' } });
  const shown = await page({ users: [LI] });
  await edit(shown, 'li');
  await set(shown, 'raw_days', '10');
  await shown.user.click(field('form-save'));
  expect((await screen.findByTestId('form-failure')).textContent).toContain('no database');
  expect(saved).toEqual([]);
});

test('a setting of a user is taken back after the same question', async () => {
  losses([{ field: 'raw_days', before_ms: 1_700_000_000_000, points: 3 }]);
  const shown = await page({ users: [LI] });
  await edit(shown, 'li');
  expect(field('retention-back').textContent).toBe('Remove the user setting');
  await shown.user.click(field('retention-back'));
  await shown.user.click(await screen.findByTestId('confirm-no'));
  await waitFor(() => expect(screen.queryByTestId('confirm-dialog')).toBeNull());
  expect(saved).toEqual([]);
  await shown.user.click(field('retention-back'));
  await shown.user.click(await screen.findByTestId('confirm-yes'));
  await waitFor(() => expect(saved[0]?.body).toEqual({ user_id: 7, kept: null }));
  expect(Object.fromEntries(effects[0]?.query ?? [])).toEqual({ user_id: '7' });
  await waitFor(() => expect(screen.queryByTestId('form-drawer')).toBeNull());
  expect(read.length).toBeGreaterThan(1);
});

test('the default of the platform is taken back only where there is one', async () => {
  const { unmount, ...shown } = await page();
  await edit({ ...shown, unmount }, 'Platform default');
  expect(screen.queryByTestId('retention-back')).toBeNull();
  unmount();
  const again = await page({ platform: DAYS });
  await edit(again, 'Platform default');
  await waitFor(() => expect(field('retention-back').textContent).toBe('Remove the default: keep forever'));
  await again.user.click(field('retention-back'));
  await waitFor(() => expect(saved[0]?.body).toEqual({ user_id: null, kept: null }));
});

test('taking back that is refused is told, and the form stays', async () => {
  const shown = await page({ users: [LI] });
  refuse<PutRetentionData>('put', RETENTION, { status: 409, code: 20_000, data: { message: 'not below you' } });
  await edit(shown, 'li');
  await shown.user.click(field('retention-back'));
  expect(await screen.findByText(/not below you/)).toBeTruthy();
  expect(screen.getByTestId('form-drawer')).toBeTruthy();
});

async function choose({ user }: Rendered, name: RegExp): Promise<void> {
  await user.click(field('retention-add'));
  await user.click(await screen.findByTestId('retention-for'));
  await user.click(await screen.findByRole('option', { name, hidden: true }));
}

test('a user gets days of his own: he is chosen first, and begins with for ever', async () => {
  const shown = await page();
  await shown.user.click(field('retention-add'));
  expect((await screen.findByTestId<HTMLButtonElement>('retention-next')).disabled).toBe(true);
  await shown.user.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByTestId('retention-next')).toBeNull());
  await choose(shown, /wang/);
  await shown.user.click(field('retention-next'));
  expect(await screen.findByText(/^Edit the retention period: .*wang/)).toBeTruthy();
  expect(days('raw_days').value).toMatch(/^0/);
  expect(screen.queryByTestId('retention-back')).toBeNull();
  await set(shown, 'raw_days', '60');
  await shown.user.click(field('form-save'));
  await waitFor(() => expect(saved[0]?.body).toEqual({ user_id: 8, kept: { ...FOR_EVER, raw_days: 60 } }));
});

test('who has days already is not given others from here', async () => {
  const shown = await page({ users: [LI] });
  await choose(shown, /^li/);
  expect(await screen.findByText('This user already has a setting; change it in the list')).toBeTruthy();
  expect(field('retention-next').disabled).toBe(true);
});

test('what was entered is not left without a question', async () => {
  const shown = await page({ users: [LI] });
  await edit(shown, 'li');
  await set(shown, 'raw_days', '60');
  await shown.user.click(field('form-cancel'));
  expect((await screen.findByTestId('confirm-dialog')).textContent).toContain('Unsaved changes');
  await shown.user.click(field('confirm-no'));
  expect(days('raw_days').value).toMatch(/^60/);
  await shown.user.click(field('form-cancel'));
  await shown.user.click(await screen.findByTestId('confirm-yes'));
  await waitFor(() => expect(screen.queryByTestId('form-drawer')).toBeNull());
  expect(saved).toEqual([]);
});

test('days that cannot be read are asked for again', async () => {
  refuse<GetRetentionData>('get', RETENTION, { status: 500, code: 20_000, data: { message: 'disk full' } });
  const { user } = await show(<RetentionPage />, PLATFORM);
  const trouble = await screen.findByTestId('error-state');
  expect(trouble.textContent).toContain('disk full');
  answerRetention({ users: [LI] });
  await user.click(within(trouble).getByRole('button'));
  expect(await screen.findByRole('article', { name: 'li' })).toBeTruthy();
});
