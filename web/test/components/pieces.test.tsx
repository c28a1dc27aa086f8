import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { NoTemplates } from '@/blocks/templates/NoTemplates';
import { COPIED_MS } from '@/components/useCopied';
import { MaskedSecret, REVEAL_MS } from '@/components/MaskedSecret';
import { Gallery } from '../blocks/Gallery';
import { show } from './render';
import type { Rendered } from './render';

const text = (id: string): string | null => screen.getByTestId(id).textContent;
const gallery = (): Promise<Rendered> => show(<Gallery />, { permissions: ['auth.User'] });

test('what one may not is hidden, or replaced', async () => {
  await gallery();
  expect(screen.queryByTestId('hidden')).toBeNull();
  expect(screen.queryByTestId('secret-part')).toBeNull();
  expect(text('fallback')).toBe('not for you');
  expect(screen.getByTestId('may-not').getAttribute('aria-disabled')).toBe('true');
});

test('a secret is shown on request and hidden again', async () => {
  await show(<MaskedSecret secret="kT7-example-secret" name="Key" />);
  expect(text('secret')).not.toContain('kT7');
  vi.useFakeTimers();
  fireEvent.click(screen.getByTestId('secret-show'));
  expect(text('secret')).toBe('kT7-example-secret');
  act(() => void vi.advanceTimersByTime(REVEAL_MS + 1));
  expect(text('secret')).not.toContain('kT7');
});

test('a dangerous question wants its word typed', async () => {
  const { user } = await gallery();
  await user.click(screen.getByTestId('may'));
  const yes = await screen.findByTestId<HTMLButtonElement>('confirm-yes');
  expect(yes.disabled).toBe(true);
  await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('confirm-typed')));
  await user.keyboard('platform{Enter}');
  await waitFor(() => expect(text('answer')).toBe('yes'));
});

test.each([
  [true, 'Copied'],
  [false, 'Copy failed'],
])('copying that works (%s) is told for 1.5 s', async (works, words) => {
  await gallery();
  vi.stubGlobal('isSecureContext', true);
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: { writeText: () => (works ? Promise.resolve() : Promise.reject(new DOMException('no', 'NotAllowedError'))) },
  });
  document.execCommand = () => works;
  const before = 'Copy edge/v1/cloud/push';
  const button = screen.getByLabelText(before);
  vi.useFakeTimers();
  fireEvent.click(button);
  await act(() => vi.advanceTimersByTimeAsync(COPIED_MS - 100));
  expect(button.getAttribute('aria-label')?.toLowerCase()).toContain(words.toLowerCase());
  await act(() => vi.advanceTimersByTimeAsync(200));
  expect(button.getAttribute('aria-label')).toBe(before);
});

test('a picker asks once for what was typed, trimmed', async () => {
  const { user } = await gallery();
  const picker = screen.getByTestId('picker');
  await user.click(picker);
  await user.type(picker, '  user0002');
  await user.click(await screen.findByRole('option', { name: /user00021/, hidden: true }));
  expect(text('chosen')).toBe('21');
  expect(text('searches')?.split('|').slice(0, 2)).toEqual(['', 'user0002']);
});

test('trees: ticks take those below along, keys open and choose, a search leaves what it finds', async () => {
  const { user } = await gallery();
  const ticks = within(screen.getByTestId('ticks'));
  await user.click(ticks.getByLabelText('Map'));
  expect(text('ticked')).toBe('Monitor Monitor.List Monitor.Map');
  act(() => ticks.getAllByRole('treeitem')[0]?.focus());
  await user.keyboard(' ');
  expect(text('ticked')).toBe('');
  await user.type(screen.getByTestId('tree-search'), 'trig');
  await waitFor(() => expect(ticks.getAllByTestId('tree-node')).toHaveLength(2));

  const lazy = within(screen.getByTestId('lazy'));
  act(() => lazy.getAllByRole('treeitem')[0]?.focus());
  await user.keyboard('{ArrowRight}');
  await lazy.findByText('Line B');
  await user.keyboard('{ArrowDown}{Enter}');
  expect(text('selected')).toBe('root/a');
});

test('a table in a dialog is 300 px high', async () => {
  await gallery();
  const frames = [...document.querySelectorAll<HTMLElement>('[style*="300px"], [style*="18.75rem"]')];
  expect(frames.length).toBeGreaterThan(0);
});

test('without a template the way to make one is shown, to who may make one', async () => {
  const MAY = ['DeviceTemplate', 'Monitor.DeviceMonitor'];
  const { user, went, unmount } = await show(<NoTemplates category="gateway" />, { permissions: MAY });
  await user.click(screen.getByTestId('no-templates-make'));
  expect(went()).toBe('/device/template');
  unmount();
  await show(<NoTemplates category="gateway" />);
  expect(text('no-templates')).not.toBe('');
  expect(screen.queryByTestId('no-templates-make')).toBeNull();
});
