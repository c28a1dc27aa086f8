import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '@/api/errors';
import { call, freshToken, portalFetch, REFRESH_BEFORE_MS } from '@/api/http';
import { keepTokens, session, readTokens } from '@/lib/session';

const ORIGIN = 'http://portal.test';
let asked: Request[] = [];
let answer: (request: Request) => Response | Promise<Response>;

function storage(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  } as unknown as Storage;
}

beforeEach(() => {
  asked = [];
  answer = () => Response.json({ code: 0, msg: '', data: null });
  vi.stubGlobal('localStorage', storage());
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = input instanceof Request ? input : new Request(new URL(String(input), ORIGIN), init);
    asked.push(request);
    return answer(request);
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
  session.setState({ tokens: null });
});

const refreshed = (token: string): Response =>
  Response.json({ code: 0, msg: '', data: { token, refresh_token: 'r2', expires_in: 1800 } });

test('a call carries the token, the sign-in does not', async () => {
  keepTokens('t1', 'r1', 1800);
  await portalFetch(`${ORIGIN}/api/v1/device`);
  await portalFetch(`${ORIGIN}/api/v1/login/login`, { method: 'POST', body: '{}' });
  expect(asked.map((request) => request.headers.get('x-token'))).toEqual(['t1', null]);
});

test('near expiry one refresh is made, however many calls wait for it', async () => {
  keepTokens('t1', 'r1', REFRESH_BEFORE_MS / 1000 - 1);
  answer = async (request) => (request.url.endsWith('/refreshtoken') ? refreshed('t2') : Response.json({ code: 0 }));
  await Promise.all([1, 2, 3].map((id) => portalFetch(`${ORIGIN}/api/v1/device/${id}`)));
  const refreshes = asked.filter((request) => request.url.endsWith('/refreshtoken'));
  expect(refreshes).toHaveLength(1);
  expect(await refreshes[0]?.json()).toEqual({ token: 't1', refresh_token: 'r1' });
  expect(asked.filter((request) => request.headers.get('x-token') === 't2')).toHaveLength(3);
});

test.each([
  [29, 1],
  [30, 0],
  [31, 0],
])('a token with %i s left is refreshed %i times before a call', async (left, times) => {
  vi.useFakeTimers({ now: 1e12 });
  keepTokens('t1', 'r1', left);
  answer = async (request) => (request.url.endsWith('/refreshtoken') ? refreshed('t2') : Response.json({ code: 0 }));
  await portalFetch(`${ORIGIN}/api/v1/device/1`);
  expect(asked.filter((request) => request.url.endsWith('/refreshtoken'))).toHaveLength(times);
});

test('what another tab refreshed is taken over instead of refreshing again', async () => {
  keepTokens('t1', 'r1', 10);
  localStorage.setItem(
    'edge.session',
    JSON.stringify({ token: 't9', refreshToken: 'r9', expiresAtMs: Date.now() + 1e6 }),
  );
  expect(await freshToken()).toBe('t9');
  expect(asked).toEqual([]);
});

test.each(['t\n9', '密钥', '', 'x'.repeat(600)])('what no header can carry is no token: %j', (token) => {
  localStorage.setItem('edge.session', JSON.stringify({ token, refreshToken: 'r9', expiresAtMs: Date.now() + 1e6 }));
  expect(readTokens()).toBeNull();
});

test('a refresh that fails is ignored: the call goes out with the old token', async () => {
  keepTokens('t1', 'r1', 10);
  answer = (request) =>
    request.url.endsWith('/refreshtoken')
      ? Response.json({ code: 10010, msg: '' }, { status: 401 })
      : Response.json({ code: 0 });
  await portalFetch(`${ORIGIN}/api/v1/device/1`);
  expect(asked.at(-1)?.headers.get('x-token')).toBe('t1');
});

test.each([
  ['/api/v1/device', 30_000],
  ['/api/v1/device/1', 10_000],
  ['/api/v1/job/7', 10_000],
  ['/api/v1/job/7/file', 900_000],
  ['/api/v1/event/alarmlog/export', 120_000],
  ['/api/v1/device/7/slavedevice/export', 120_000],
  ['/api/v1/device/exportStatReport', 120_000],
])('%s waits %i ms', async (path, expected) => {
  const limits: number[] = [];
  const original = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    limits.push(ms);
    return original(ms);
  });
  await portalFetch(`${ORIGIN}${path}`);
  expect(limits).toEqual([expected]);
});

test('call opens the envelope and names what went wrong', async () => {
  const response = new Response(null, { status: 400 });
  expect(await call(Promise.resolve({ data: { data: 5, code: 0 } as never, response }))).toBe(5);
  const bad = call(Promise.resolve({ error: { code: 10002, data: { field: 'f', rule: 'r' } }, response }));
  await expect(bad).rejects.toMatchObject({ facts: { code: 10002, field: 'f', rule: 'r' } });
  const late = call(Promise.resolve({ error: new DOMException('late', 'TimeoutError') }));
  await expect(late).rejects.toMatchObject({ facts: { cause: 'timeout' } });
  await expect(call(Promise.reject(new TypeError('fetch failed')))).rejects.toBeInstanceOf(ApiError);
});
