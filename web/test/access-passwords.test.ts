import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { portalFetch } from '@/api/http';
import {
  accessHeader,
  accessPasswords,
  askAccessPassword,
  clearAccessPasswords,
  forgetAccessPassword,
} from '@/lib/accessPasswords';
import { session } from '@/lib/session';

const sent: (string | null)[] = [];

/** Answers as the cloud does: 12 and 13 have the password ` 密&=1`. */
async function cloud(request: Request): Promise<Response> {
  const given = request.headers.get('X-Access-Password');
  sent.push(given);
  for (const device of [12, 13]) {
    const password = new URLSearchParams(given ?? '').get(String(device));
    if (password === ' 密&=1') continue;
    const reason = `access_password.${password === null ? 'needed' : 'wrong'}`;
    return Response.json(
      { code: 10001, msg: '', data: { reason, arguments: { device_id: device, device: `gw-${device}` } } },
      { status: 403 },
    );
  }
  return Response.json({ code: 0, data: (await request.json()) as unknown });
}

/** Answers the dialogs, one after the other. */
function user(...answers: (string | null)[]): string[] {
  const asked: string[] = [];
  const unsubscribe = accessPasswords.subscribe(({ question: one }, before) => {
    if (one === null || one === before.question) return;
    asked.push(`${one.device}${one.isWrong ? ' wrong' : ''}`);
    queueMicrotask(() => one.answer(answers.shift() ?? null));
  });
  onTestFinished(unsubscribe);
  return asked;
}

beforeEach(() => {
  sent.length = 0;
  clearAccessPasswords();
  vi.stubGlobal('fetch', cloud);
});
afterEach(() => vi.unstubAllGlobals());

const post = () => portalFetch('http://localhost/api/v1/device/12/deploy', { method: 'POST', body: '{"hash":"a"}' });

test('what a password hinders is asked for and goes out again, with its body', async () => {
  const asked = user('guess', ' 密&=1', ' 密&=1');
  const response = await post();
  expect(await response.json()).toEqual({ code: 0, data: { hash: 'a' } });
  expect(asked).toEqual(['gw-12', 'gw-12 wrong', 'gw-13']);
  expect(sent).toHaveLength(4);
  expect(await post().then(({ status }) => status)).toBe(200);
  expect(asked).toHaveLength(3);
});

test('who gives none is told why', async () => {
  user(null);
  expect((await post()).status).toBe(403);
  expect(sent).toEqual([null]);
});

test('they are forgotten with the session, or when one is refused', async () => {
  user('x1', 'x2');
  session.setState({ tokens: { token: 't', refreshToken: 'r', expiresAtMs: Date.now() + 1e9 } });
  await Promise.all([12, 13].map((deviceId) => askAccessPassword({ deviceId, device: '', isWrong: false })));
  expect(accessHeader()).toBe('12=x1&13=x2');
  forgetAccessPassword(12);
  expect(accessHeader()).toBe('13=x2');
  session.setState({ tokens: null });
  expect(accessHeader()).toBeNull();
});

test('a file goes out again whole, and what has no body has none', async () => {
  user(' 密&=1', ' 密&=1');
  const file = new File([Uint8Array.of(0, 255, 10)], 'a.bin', { type: 'application/octet-stream' });
  const bodies: number[][] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    const kept = new Uint8Array(await request.clone().arrayBuffer());
    bodies.push([...kept]);
    return cloud(new Request(request, { method: request.method, body: '{}' }));
  });
  expect((await portalFetch('http://localhost/api/v1/device/12/file', { method: 'PUT', body: file })).status).toBe(200);
  expect(bodies).toEqual([
    [0, 255, 10],
    [0, 255, 10],
    [0, 255, 10],
  ]);
  const seen: (ReadableStream | null)[] = [];
  vi.stubGlobal('fetch', (request: Request) => {
    seen.push(request.body);
    return Promise.resolve(Response.json({ code: 0 }));
  });
  await portalFetch('http://localhost/api/v1/device/12', { method: 'DELETE' });
  await portalFetch('http://localhost/api/v1/device/12', { headers: { 'Content-Type': 'application/json' } });
  expect(seen).toEqual([null, null]);
});
