/** What a gateway and the cloud tell of a deployment that did not end well. */

const CODES = new Set([
  'invalid',
  'conflict',
  'expired',
  'busy',
  'not_this_gateway',
  'hash',
  'store',
  'link',
  'slaves',
  'points',
  'crash',
  'error',
  'asked',
  'no_trial',
  'offline',
  'asleep',
  'link_down',
  'no_receipt',
  'not_reached',
  'replaced',
  'no_document',
  'may_run',
]);

/** Key of the reason in words; null for none, and for a code that this portal does not know. */
export function codeKey(code: string): string | null {
  return CODES.has(code) ? `base:deployment.code.${code}` : null;
}

/** What the gateway says of points that were good and are not any more; null when it says something else. */
export function lostPoints(detail: string): { lost: number; total: number; slaves: string } | null {
  const match = /^(\d+) of (\d+) points that were good are not: (.+)$/s.exec(detail);
  return match === null ? null : { lost: Number(match[1]), total: Number(match[2]), slaves: match[3] ?? '' };
}

/** Slaves that the gateway calls silent; null when it says something else. */
export function silentSlaves(detail: string): string | null {
  return /^silent: (.+)$/s.exec(detail)?.[1] ?? null;
}

const SILENT = /\b(no_answer|port_lent|port_down|bad_frame|device_error|bus_error)\b/g;

/** The slaves of lostPoints() with their reasons in words. */
export function withReasons(slaves: string, word: (key: string) => string): string {
  return slaves.replaceAll(SILENT, (code) => word(`base:deployment.silent.${code}`));
}
