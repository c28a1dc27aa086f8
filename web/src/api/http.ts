import { accessHeader, askAccessPassword, forgetAccessPassword } from '@/lib/accessPasswords';
import type { Question } from '@/lib/accessPasswords';
import { noteAnswer } from '@/lib/live/contact';
import { observeDate } from '@/lib/serverClock';
import { adoptStoredTokens, keepTokens, session } from '@/lib/session';
import type { Tokens } from '@/lib/session';
import { ApiError, opened } from './errors';

export const API_BASE = '/api/v1';
export const REQUEST_TIMEOUT_MS = 10_000;
/** The device list may take longer, by specification. */
export const DEVICE_LIST_TIMEOUT_MS = 30_000;
/** A workbook of megabytes over a slow line, either way; the cloud reads or writes it before it answers. */
export const IMPORT_TIMEOUT_MS = 120_000;
/** The time-out holds for the body too: a file of a job has up to a million rows and comes over lines of some 100 kB/s. */
export const FILE_TIMEOUT_MS = 900_000;
export const REFRESH_BEFORE_MS = 30_000;

const SENT_AS_IS = new Set(['login', 'refreshtoken', 'demo'].map((name) => `${API_BASE}/login/${name}`));

let refreshing: Promise<Tokens | null> | null = null;

function endsWithin(tokens: Tokens, ms: number): boolean {
  return tokens.expiresAtMs - Date.now() < ms;
}

/** The token to send: refreshed first when it ends within this time, by one call at once. Null without a session. */
export async function freshToken(withinMs: number = REFRESH_BEFORE_MS): Promise<string | null> {
  const tokens = session.getState().tokens;
  if (tokens === null || !endsWithin(tokens, withinMs)) return tokens?.token ?? null;
  refreshing ??= withLock(() => refresh(withinMs)).finally(() => {
    refreshing = null;
  });
  return (await refreshing)?.token ?? null;
}

/** One refresh among all tabs where the browser has locks (secure pages only); the cloud forgives the rest. */
async function withLock<T>(work: () => Promise<T>): Promise<T> {
  const locks = globalThis.navigator?.locks;
  return locks === undefined ? work() : ((await locks.request('edge.refresh', work)) as T);
}

/** A failed refresh is not told: the call goes out with the old token and its reply says what is wrong. */
async function refresh(withinMs: number): Promise<Tokens | null> {
  const tokens = adoptStoredTokens();
  if (tokens === null || !endsWithin(tokens, withinMs)) return tokens;
  try {
    const response = await fetch(`${API_BASE}/login/refreshtoken`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token: tokens.token, refresh_token: tokens.refreshToken }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const data = opened(await response.json(), response) as {
      token: string;
      refresh_token: string;
      expires_in: number;
    };
    return keepTokens(data.token, data.refresh_token, data.expires_in);
  } catch (error) {
    if (error instanceof ApiError || isTransport(error) || error instanceof SyntaxError) return tokens;
    throw error;
  }
}

function isTransport(error: unknown): boolean {
  return (
    error instanceof TypeError || (error instanceof DOMException && ['TimeoutError', 'AbortError'].includes(error.name))
  );
}

/** GETs whose answer is a file that the cloud writes while it is asked. */
const DOWNLOADS = [
  'audit/export',
  'device/downloadTemplate',
  'device/export-list',
  'device/exportStatReport',
  'device/import/[^/]+/errors',
  'device/[^/]+/slavedevice/export',
  'event/alarmlog/export',
];
const DOWNLOAD = new RegExp(`^${API_BASE}/(?:${DOWNLOADS.join('|')})$`);
const JOB_FILE = new RegExp(`^${API_BASE}/job/[^/]+/file$`);

function timeoutFor(method: string, path: string): number {
  if (method === 'POST' && path === `${API_BASE}/device/import`) return IMPORT_TIMEOUT_MS;
  if (method !== 'GET') return REQUEST_TIMEOUT_MS;
  if (JOB_FILE.test(path)) return FILE_TIMEOUT_MS;
  if (DOWNLOAD.test(path)) return IMPORT_TIMEOUT_MS;
  return path === `${API_BASE}/device` ? DEVICE_LIST_TIMEOUT_MS : REQUEST_TIMEOUT_MS;
}

/**
 * fetch with the session's token and a time-out; the generated client calls it. What a gateway's access password hinders
 * goes out again when the user gives it.
 */
export async function portalFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const body = await bodyOf(request);
  for (;;) {
    const response = await sent(request, body);
    const hindered = response.status === 403 ? await hindrance(response.clone()) : null;
    if (hindered === null || !(await askAccessPassword(hindered))) return response;
  }
}

/** Whole, as it can go out twice with its length: the body of a request's clone is a stream, kept twice in memory. */
async function bodyOf(request: Request): Promise<string | Blob | null> {
  const isJson = request.headers.get('Content-Type')?.startsWith('application/json');
  const body = isJson ? await request.text() : await request.blob();
  return request.bodyUsed ? body : null;
}

const ACCESS_PASSWORD = 'access_password.';

/** The gateway whose access password is missing or wrong. */
async function hindrance(response: Response): Promise<Question | null> {
  try {
    const { data } = (await response.json()) as {
      data?: { reason?: string; arguments?: Record<string, string | number> } | null;
    };
    const [reason = '', args = {}] = [data?.reason, data?.arguments];
    if (reason !== `${ACCESS_PASSWORD}needed` && reason !== `${ACCESS_PASSWORD}wrong`) return null;
    const deviceId = Number(args.device_id);
    const isWrong = reason === `${ACCESS_PASSWORD}wrong`;
    if (isWrong) forgetAccessPassword(deviceId);
    return { deviceId, device: String(args.device), isWrong };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

async function sent(request: Request, body: string | Blob | null): Promise<Response> {
  const path = new URL(request.url).pathname;
  const headers = new Headers(request.headers);
  if (!SENT_AS_IS.has(path)) {
    const token = await freshToken();
    if (token !== null) headers.set('X-Token', token);
    const access = accessHeader();
    if (access !== null) headers.set('X-Access-Password', access);
  }
  const timeout = AbortSignal.timeout(timeoutFor(request.method, path));
  const sentMs = Date.now();
  const signal = AbortSignal.any([request.signal, timeout]);
  const response = await fetch(new Request(request, { method: request.method, headers, body, signal }));
  const receivedMs = Date.now();
  if (response.ok) noteAnswer(receivedMs);
  observeDate(response.headers.get('date'), sentMs, receivedMs);
  return response;
}

interface Reply<T> {
  data?: { data?: T | null } | undefined;
  error?: unknown;
  response?: Response;
}

/** Data of a call of the generated client. Throws ApiError, or the AbortError of a query that was cancelled. */
export async function call<T>(reply: Promise<Reply<T>>): Promise<T> {
  let answer: Reply<T>;
  try {
    answer = await reply;
  } catch (error) {
    throw transportError(error);
  }
  if (answer.response === undefined) throw transportError(answer.error);
  return opened(answer.data ?? answer.error, answer.response) as T;
}

interface Streamed {
  data?: unknown;
  error?: unknown;
  response?: Response;
}

/** Bytes that a call of the generated client answers (parseAs: 'stream'). onShare: how much of them is here, 0 to 1. */
export async function callBytes(reply: Promise<Streamed>, onShare?: (share: number) => void): Promise<ArrayBuffer> {
  const { data, error, response } = await reply;
  if (!(data instanceof ReadableStream) || response === undefined) {
    await call(Promise.resolve({ error, response }));
    throw new ApiError({ cause: 'network', msg: 'no bytes' });
  }
  const total = Number(response.headers.get('Content-Length'));
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let here = 0;
  try {
    for (const reader = (data as ReadableStream<Uint8Array<ArrayBuffer>>).getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      here += value.byteLength;
      if (total > 0) onShare?.(Math.min(1, here / total));
    }
  } catch (failure) {
    throw transportError(failure);
  }
  return new Blob(parts).arrayBuffer();
}

function transportError(error: unknown): unknown {
  if (error instanceof DOMException && error.name === 'AbortError') return error;
  if (error instanceof DOMException && error.name === 'TimeoutError') return new ApiError({ cause: 'timeout' });
  return isTransport(error) ? new ApiError({ cause: 'network', msg: String(error) }) : error;
}
