import { http, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';

/** The cloud of a component test: options of the user are as the program has them, any other call must be answered. */
export const network = setupServer(
  http.get('*/api/v1/user/option', ({ request }) =>
    HttpResponse.json({ code: 0, msg: '', data: { name: new URL(request.url).searchParams.get('name'), value: null } }),
  ),
);

interface Operation {
  url: string;
}
interface Envelope {
  data?: unknown;
}
type Method = 'get' | 'post' | 'put' | 'delete';

/** What a call was asked with. */
export interface Call {
  query: URLSearchParams;
  body: unknown;
}

const pathOf = (url: string): string => `*${url.replaceAll(/\{(\w+)\}/g, ':$1')}`;

/**
 * The cloud answers an operation of the generated client, e.g.
 * answer<ListUsersData, ListUsersResponse>('get', '/api/v1/auth/user', { rows, total }).
 * Returns the calls that came, the first one first.
 */
export function answer<Data extends Operation, Reply extends Envelope>(
  method: Method,
  url: Data['url'],
  data: Reply['data'] | ((call: Call) => Reply['data'] | Promise<Reply['data']>),
): Call[] {
  const calls: Call[] = [];
  network.use(
    http[method](pathOf(url), async ({ request }) => {
      const text = await request.text();
      const call = {
        query: new URL(request.url).searchParams,
        body: text === '' ? null : (JSON.parse(text) as unknown),
      };
      calls.push(call);
      const reply = typeof data === 'function' ? await (data as (call: Call) => Promise<Reply['data']>)(call) : data;
      return HttpResponse.json({ code: 0, msg: '', data: reply ?? null });
    }),
  );
  return calls;
}

/** What the cloud says of a call that it refuses. */
interface Refusal {
  status: number;
  code?: number;
  msg?: string;
  data?: { field?: string; rule?: string; reason?: string; message?: string; arguments?: Record<string, unknown> };
}

/** The cloud refuses an operation. */
export function refuse<Data extends Operation>(method: Method, url: Data['url'], refusal: Refusal): void {
  const { status, code = 10_002, msg = '', data = {} } = refusal;
  network.use(http[method](pathOf(url), () => HttpResponse.json({ code, msg, data }, { status })));
}
