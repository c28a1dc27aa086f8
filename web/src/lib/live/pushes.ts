export type DevicePush = Record<string, unknown> & { did: number };
export type CommandPush = Record<string, unknown> & { id: string | number; status: string };
export type DeploymentPush = Record<string, unknown> & { did: number; id: string; state: string };

/** An alarm event of a gateway that the user sees. pid: its product, 0 without one. */
export interface AlarmPush {
  pid: number;
  did: number;
  id: number;
  event: 'new' | 'changed' | 'deleted';
  /** What follows is not told of a deleted one. at: UTC ms. */
  at?: number;
  alarm_type?: number;
  level?: number | null;
  status?: number;
  /** For how many of the gateway it stands in a flood; absent for one. */
  count?: number;
}

/** A gateway or slave went (status 0) or came (status 1). */
export interface OnOffPush {
  pid: number;
  did: number;
  id: number;
  slave_id: number | null;
  status: number;
  at: number;
}

/** Events that the user has not read, after he read some in another page. */
export interface UnreadPush {
  alarm: number;
  onoffline: number;
}

/** A job of the user waits, runs or has ended. */
export interface JobPush {
  id: number;
  state: string;
  done: number;
  total: number;
}

/** Who wants to hear of one kind of message. */
export class Audience<T> {
  readonly #listeners = new Set<(message: T) => void>();

  /** Returns the function that ends it. */
  readonly listen = (listener: (message: T) => void): (() => void) => {
    const own = (message: T): void => listener(message);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  };

  tell(message: T): void {
    for (const listener of this.#listeners) listener(message);
  }
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const EVENTS: ReadonlySet<unknown> = new Set(['new', 'changed', 'deleted']);

/** One frame, packet or signal of a traced gateway (contract, TraceEntry); what is absent is empty. */
export interface TraceEntry {
  /** Rises by one; a number that is missing was dropped. */
  seq: number;
  t_ms: number;
  kind: string;
  source?: string;
  device?: string;
  direction?: 'sent' | 'received';
  code?: string;
  text?: string;
  /** Hexadecimal. */
  data?: string;
  size?: number;
  hidden?: boolean;
  fields?: Record<string, unknown>;
  error?: string;
}

/** Entries of a gateway that the user traces. since_ms: of the trace that numbers them; upto: the last number. */
export interface TracePush {
  did: number;
  since_ms: number;
  upto: number;
  entries: TraceEntry[];
}

/** How a trace of the user stands. why: it has ended. */
export interface TraceStatePush {
  did: number;
  trace: string;
  state: string;
  why: string;
}

export function isTracePush(message: object): message is TracePush {
  const { did, since_ms, upto, entries } = message as Partial<TracePush>;
  return isNumber(did) && isNumber(since_ms) && isNumber(upto) && Array.isArray(entries);
}

export function isTraceStatePush(message: object): message is TraceStatePush {
  const { did, trace, state, why } = message as Partial<TraceStatePush>;
  return isNumber(did) && typeof trace === 'string' && typeof state === 'string' && typeof why === 'string';
}

export function isAlarmPush(message: object): message is AlarmPush {
  const { did, id, event, at, alarm_type, count = 1 } = message as Partial<AlarmPush>;
  return (
    isNumber(did) &&
    isNumber(id) &&
    isNumber(count) &&
    EVENTS.has(event) &&
    (event === 'deleted' || (isNumber(at) && isNumber(alarm_type)))
  );
}

export function isOnOffPush(message: object): message is OnOffPush {
  const { did, id, status, at } = message as Partial<OnOffPush>;
  return isNumber(did) && isNumber(id) && isNumber(status) && isNumber(at);
}

/** A gateway has got a place, another one or none. */
export function isPlacePush(message: object): boolean {
  return isNumber((message as { did?: unknown }).did);
}

export function isJobPush(message: object): message is JobPush {
  const { id, state, done, total } = message as Partial<JobPush>;
  return isNumber(id) && typeof state === 'string' && isNumber(done) && isNumber(total);
}

export function isUnreadPush(message: object): message is UnreadPush {
  const { alarm, onoffline } = message as Partial<UnreadPush>;
  return isNumber(alarm) && isNumber(onoffline);
}
