import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { configureClient } from '@/api/client';
import { queryClient } from '@/app/queryClient';
import { clearNotices } from '@/components/notices';
import { network } from './network';

/** On a busy machine a page takes its time. */
configure({ asyncUtilTimeout: 30_000, getElementError: (message) => new Error(message ?? '') });

/** React notes where each element was made; a hundred frames of each, as vitest has it, are 7 % of the time. */
Error.stackTraceLimit = 10;

/** What jsdom lacks and Mantine asks for. The page is a desktop: no media query matches. */
class NoObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

beforeAll(() => {
  network.listen({ onUnhandledFrame: 'error' });
  configureClient();
});

beforeEach(() => {
  vi.stubGlobal('ResizeObserver', NoObserver);
  vi.stubGlobal('IntersectionObserver', NoObserver);
  Object.defineProperty(document, 'fonts', { configurable: true, value: new EventTarget() });
  vi.stubGlobal('matchMedia', (media: string) => ({
    media,
    matches: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
  Element.prototype.scrollIntoView = () => undefined;
  Element.prototype.scrollTo = () => undefined;
});

afterEach(() => {
  vi.useRealTimers();
  cleanup();
  clearNotices();
  network.resetHandlers();
  queryClient.clear();
  localStorage.clear();
  window.history.replaceState(null, '', '/');
});

afterAll(() => network.close());
