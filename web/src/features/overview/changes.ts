import type { DeviceRow, Overview } from './api';

/** What of a gateway's push shows on the page. */
function displayOf(push: Record<string, unknown>): string {
  const { status, code, arguments: given = {} } = (push.presence ?? {}) as Partial<DeviceRow['presence']>;
  return [status, code, given.count, given.silent, given.slave].join('|');
}

const QUIET: ReadonlySet<unknown> = new Set(['online', 'offline']);

/** Which pushes of gateways change the page: most only say that all is as it was. */
export class Changes {
  #told = new Map<number, string>();
  #shown = new Map<number, string>();

  /** A new answer: what is known of each gateway. */
  answered(watch: Overview['watch']): void {
    this.#told = new Map(watch.map(({ device_id, status }) => [device_id, status]));
  }

  isChange(push: Record<string, unknown> & { did: number }): boolean {
    const display = displayOf(push);
    const before = this.#shown.get(push.did);
    this.#shown.set(push.did, display);
    if (before !== undefined) return before !== display;
    // The first push of a gateway: its answer says its status and not what of its slaves is silent.
    const status = (push.presence as { status?: unknown } | undefined)?.status;
    return status !== this.#told.get(push.did) || !QUIET.has(status);
  }
}

const MIN_APART_MS = 2_000;
/** The cloud works for this page for a tenth of the time at most, however much is pushed. */
const SHARE = 10;

/** How long until the page may be asked for again. tookMs: of the last answer. */
export function waitMs(nowMs: number, requestedAtMs: number, tookMs: number): number {
  return Math.max(0, requestedAtMs + Math.max(MIN_APART_MS, SHARE * tookMs) - nowMs);
}
