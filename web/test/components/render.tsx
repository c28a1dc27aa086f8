import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router';
import { render } from '@testing-library/react';
import type { RenderResult } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { UserEvent } from '@testing-library/user-event';
import i18next from 'i18next';
import type { ReactElement } from 'react';
import { queryClient } from '@/app/queryClient';
import '@/app/manifest';
import { loadTexts } from '@/app/texts';
import { startTexts, switchLanguage } from '@/i18n';
import type { Language } from '@/lib/preferences';
import { usePreferences } from '@/lib/preferences';
import { PLAIN_PLATFORM, session } from '@/lib/session';
import type { CloudFlags, Links } from '@/lib/screens';
import { FakeTab } from '../blocks/FakeTab';
import { Themed } from '../blocks/Themed';

export interface Surroundings {
  language?: Language;
  /** Of the signed-in user. */
  permissions?: readonly string[];
  userType?: number;
  flags?: Partial<CloudFlags>;
  links?: Links;
  /** Address of the page, with its search. */
  at?: string;
}

export interface Rendered extends RenderResult {
  user: UserEvent;
  /** Where the page has gone by its links. */
  went: () => string;
}

/** Language, user and address of a test. */
export async function surround(surroundings: Surroundings): Promise<void> {
  const { language = 'en', permissions = [], userType = 1, flags = {}, links = {}, at = '/' } = surroundings;
  usePreferences.setState({ language });
  session.setState({
    user: { id: 1, name: 'tester', nickName: 'Tester', type: userType, bigscreenTitle: '' },
    permissions,
    platform: { ...PLAIN_PLATFORM, flags: { ...PLAIN_PLATFORM.flags, ...flags }, links },
  });
  if (i18next.isInitialized) await switchLanguage(language);
  else await startTexts(loadTexts);
  window.history.replaceState(null, '', at);
}

/** A component as it stands in an opened page of the portal: theme, texts, session, router, queries, toasts. */
export async function show(element: ReactElement, surroundings: Surroundings = {}): Promise<Rendered> {
  const { at = '/' } = surroundings;
  await surround(surroundings);
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory({ initialEntries: [at] }) });
  const shown = render(
    <Themed isTest>
      <QueryClientProvider client={queryClient}>
        <RouterContextProvider router={router}>
          <Notifications transitionDuration={0} />
          <FakeTab leave={(path) => void router.navigate({ href: path } as never)}>{element}</FakeTab>
        </RouterContextProvider>
      </QueryClientProvider>
    </Themed>,
  );
  return {
    ...shown,
    user: userEvent.setup({ delay: null }),
    went: () => router.history.location.href,
  };
}
