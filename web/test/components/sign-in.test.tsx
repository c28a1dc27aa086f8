import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { LoginData, LoginResponse } from '@/api/generated/types.gen';
import { SignInForm } from '@/features/session/components/SignInForm';
import { switchLanguage } from '@/i18n';
import { session } from '@/lib/session';
import { answer, refuse } from './network';
import { show } from './render';

beforeEach(() => session.setState({ tokens: null }));

async function signIn(language: 'zh' | 'en') {
  const shown = await show(<SignInForm />, { language });
  await shown.user.type(screen.getByTestId('login-username'), '  nobody ');
  await shown.user.type(screen.getByTestId('login-password'), 'wrong password');
  return shown;
}

test('a refused sign-in is told, in the new language after a change of it', async () => {
  refuse<LoginData>('post', '/api/v1/login/login', { status: 401, code: 10_009 });
  const { user } = await signIn('zh');
  await user.click(screen.getByTestId('login-submit'));
  await waitFor(() => expect(screen.getByTestId('login-error').textContent).toBe('用户名或密码错误'));
  await act(() => switchLanguage('en'));
  expect(screen.getByTestId('login-error').textContent).toBe('Wrong user name or password');
});

test('the name goes out trimmed, the password transformed', async () => {
  const calls = answer<LoginData, LoginResponse>('post', '/api/v1/login/login', {
    token: 'a',
    refresh_token: 'b',
    expires_in: 3600,
  } as LoginResponse['data']);
  const { user } = await signIn('en');
  await user.click(screen.getByTestId('login-submit'));
  await waitFor(() => expect(calls).toHaveLength(1));
  const body = calls[0]?.body as { username: string; password: string };
  expect(body.username).toBe('nobody');
  expect(body.password).not.toContain('wrong');
});
