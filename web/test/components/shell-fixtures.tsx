import { Notifications } from '@mantine/notifications';
import { createMemoryHistory, createRouter, RouterProvider } from '@tanstack/react-router';
import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { UserEvent } from '@testing-library/user-event';
import { expect, vi } from 'vitest';
import type {
  GetUserOptionData,
  GetUserOptionResponse,
  ListGroupsData,
  ListGroupsResponse,
  ListRulesData,
  ListRulesResponse,
  PutUserOptionData,
  PutUserOptionResponse,
  RuleRow,
} from '@/api/generated/types.gen';
import { useOpened } from '@/app/opened';
import { router as ofPortal } from '@/app/router';
import { useErrorLog } from '@/lib/errorLog';
import { usePreferences } from '@/lib/preferences';
import { session } from '@/lib/session';
import { unsaved } from '@/lib/unsaved';
import { Themed } from '../blocks/Themed';
import { answer } from './network';
import type { Call } from './network';
import { surround } from './render';
import type { Surroundings } from './render';

export const OPTION = '/api/v1/user/option';
export const GROUPS = '/user/authgroup';
export const RULES = '/user/authrule';
export const CAMERAS = '/camera/index';
export const PLANS = '/maintenance/plan';
export const FAULTS = '/maintenance/fault';

/** Pages that need no more of the cloud than this test answers. */
export const MAY = ['auth.Group/index', 'auth.Rule', 'Camera', 'worker.Plan', 'worker.Fault'];
export const EVERYTHING: Surroundings = { permissions: MAY, userType: 0, flags: { announced: 1, rl: 1 } };

/** The live connection's end, in the test's hand. */
export class FakeSocket {
  static all: FakeSocket[] = [];
  sent: string[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: (() => void) | null = null;
  constructor() {
    FakeSocket.all.push(this);
  }
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {}
  say(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

/** The portal's own routes and guards, at an address of the test. */
export let router: typeof ofPortal;
export let nextUser = 100;

/** What the cloud keeps for the user. */
export const kept: { options: Record<string, unknown> } = { options: {} };
export let saved: Call[];

/** A portal that nothing is open in, and what its pages ask of the cloud. */
export function startShell(): void {
  FakeSocket.all = [];
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.stubGlobal('scrollTo', () => undefined);
  sessionStorage.clear();
  useOpened.setState({ tabs: [], activeId: null });
  useErrorLog.setState({ errors: [], dropped: 0 });
  usePreferences.setState({ sidebarCollapsed: false, size: 'medium' });
  kept.options = {};
  answer<GetUserOptionData, GetUserOptionResponse>('get', OPTION, ({ query }) => {
    const name = query.get('name') ?? '';
    return { name, value: kept.options[name] ?? null } as unknown as GetUserOptionResponse['data'];
  });
  saved = answer<PutUserOptionData, PutUserOptionResponse>(
    'put',
    OPTION,
    ({ body }) => body as PutUserOptionResponse['data'],
  );
  answer<ListGroupsData, ListGroupsResponse>('get', '/api/v1/auth/group', { rows: [], total: 0 });
  const rule = { code: 'Device', parent: '', zh: '设备', en: 'Device', types: [1], kind: 'menu', enabled: true };
  answer<ListRulesData, ListRulesResponse>('get', '/api/v1/auth/rule', {
    rows: [{ ...rule, announced: false, default_zh: '设备', default_en: 'Device', default_types: [1] } as RuleRow],
  });
}

/** Nobody is signed in, and nothing is typed. */
export function endShell(): void {
  cleanup();
  session.setState({ tokens: null, isExpired: false });
  for (const page of unsaved.pages()) unsaved.forget(page);
}

/** The portal as a signed-in user has it, at an address. */
export async function portal(at: string, surroundings: Surroundings = EVERYTHING): Promise<{ user: UserEvent }> {
  await surround(surroundings);
  nextUser += 1;
  session.setState((state) => ({
    tokens: { token: 't', refreshToken: 'r', expiresAtMs: Date.now() + 3_600_000 },
    user: state.user === null ? null : { ...state.user, id: nextUser },
  }));
  router = createRouter({ ...ofPortal.options, history: createMemoryHistory({ initialEntries: [at] }) } as never);
  render(
    <Themed isTest>
      <Notifications transitionDuration={0} />
      <RouterProvider router={router} />
    </Themed>,
  );
  await screen.findByTestId('tab-strip');
  return { user: userEvent.setup({ delay: null }) };
}

export const menu = (): HTMLElement => screen.getByTestId('sidebar');
export const tabs = (): string[] =>
  within(screen.getByTestId('tab-strip'))
    .queryAllByRole('link')
    .map(({ textContent }) => textContent);
export const current = (): string | undefined =>
  within(screen.getByTestId('tab-strip'))
    .queryAllByRole('link')
    .find((link) => link.getAttribute('aria-current') === 'page')?.textContent;
export const path = (): string => router.history.location.pathname;
export const isAt = (address: string, title: string): Promise<void> =>
  waitFor(() => {
    expect(path()).toBe(address);
    expect(current()).toBe(title);
  });
