/** Reply codes of the platform. */
export const CODE = {
  OK: 0,
  SILENT: [10000, 10011],
  SESSION_EXPIRED: 10010,
  MESSAGE: 20000,
  BUSY: 20001,
  NO_PERMISSION: 10001,
  PARAMETER: 10002,
  WRONG_SIGN_IN: 10009,
} as const;

export interface ErrorFacts {
  /** Reply code; null when the reply had none or there was no reply. */
  code: number | null;
  status: number | null;
  statusText: string;
  msg: string;
  field: string;
  rule: string;
  requestId: string;
  /** Code such as user.has_below for which the portal has words, with its arguments; '' for none. */
  reason: string;
  args: Record<string, string | number>;
  cause: 'reply' | 'timeout' | 'network';
}

const NOTHING: ErrorFacts = {
  code: null,
  status: null,
  statusText: '',
  msg: '',
  field: '',
  rule: '',
  requestId: '',
  reason: '',
  args: {},
  cause: 'reply',
};

/** A call that did not succeed; how it is told to the user is decided by presentation(). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly facts: ErrorFacts;

  constructor(facts: Partial<ErrorFacts>) {
    super(
      facts.msg === undefined || facts.msg === '' ? `code ${facts.code ?? facts.cause ?? facts.status}` : facts.msg,
    );
    this.facts = { ...NOTHING, ...facts };
  }
}

/** Is what was asked for not there, or not for the asker? */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.facts.status === 404;
}

export type Presentation =
  | { kind: 'silent' }
  | { kind: 'expired' }
  | { kind: 'text'; text: string }
  | { kind: 'key'; key: string; detail: string };

/** The name at the end of a field's path in the cloud (body.value.0.url): the way there means nothing to the user. */
export function lastName(field: string): string {
  const [place = '', ...rest] = field.split('.');
  const names = ['body', 'query', 'path'].includes(place) ? rest : [place, ...rest];
  return names.findLast((name) => !/^\d*$/.test(name)) ?? '';
}

/** What the platform's error catalogue says about an error. Keys are of the namespace 'base'. */
export function presentation(error: unknown): Presentation {
  if (!(error instanceof ApiError)) return { kind: 'key', key: 'base:error.failed', detail: '' };
  const { code, cause, msg, field, rule, status, statusText } = error.facts;
  if (cause === 'timeout') return { kind: 'key', key: 'base:error.timeout', detail: '' };
  if (cause === 'network') return { kind: 'key', key: 'base:error.network', detail: '' };
  if (code === null) {
    const refused = statusText !== '' && status !== null && status < 500;
    return { kind: 'key', key: refused ? 'base:error.noPermission' : 'base:error.failed', detail: '' };
  }
  if ((CODE.SILENT as readonly number[]).includes(code)) return { kind: 'silent' };
  switch (code) {
    case CODE.SESSION_EXPIRED:
      return { kind: 'expired' };
    case CODE.MESSAGE:
      return msg === '' ? { kind: 'key', key: 'base:error.failed', detail: '' } : { kind: 'text', text: msg };
    case CODE.BUSY:
      return { kind: 'key', key: 'base:error.busy', detail: '' };
    case CODE.NO_PERMISSION:
      return { kind: 'key', key: 'base:error.noPermission', detail: '' };
    case CODE.PARAMETER:
      return { kind: 'key', key: 'base:error.parameter', detail: [lastName(field), rule].filter(Boolean).join(': ') };
    case CODE.WRONG_SIGN_IN:
      return { kind: 'key', key: 'base:error.wrongSignIn', detail: '' };
    default:
      return { kind: 'key', key: 'base:error.failed', detail: '' };
  }
}

interface Envelope {
  code: number;
  msg?: unknown;
  data?: unknown;
}

function isEnvelope(body: unknown): body is Envelope {
  return typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'number';
}

function argumentsOf(value: unknown): ErrorFacts['args'] {
  return typeof value === 'object' && value !== null ? (value as ErrorFacts['args']) : {};
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Data of a reply's envelope; ApiError for every other reply. */
export function opened(body: unknown, response: Pick<Response, 'status' | 'statusText'>): unknown {
  const { status, statusText } = response;
  if (!isEnvelope(body)) throw new ApiError({ status, statusText, msg: `HTTP ${status}` });
  if (body.code === CODE.OK) return body.data;
  const data = (typeof body.data === 'object' && body.data !== null ? body.data : {}) as Record<string, unknown>;
  throw new ApiError({
    code: body.code,
    status,
    statusText,
    msg: text(body.data) || text(data.message) || text(body.msg),
    field: text(data.field),
    rule: text(data.rule),
    requestId: text(data.request_id),
    reason: text(data.reason),
    args: argumentsOf(data.arguments),
  });
}
