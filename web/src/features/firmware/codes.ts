/** Why an upgrade ended or was passed over: of the cloud (cloud/domains/firmware) and of gateways (contract C-204 to C-209). */
const CODES = [
  'read_only',
  'no_firmware',
  'installed',
  'access_password',
  'cancelled',
  'no_file',
  'not_watched',
  'offline',
  'silent',
  'no_answer',
  'wrong_version',
  'worse',
  'unchanged',
  'refused',
  'rolled_back',
  'format',
  'key',
  'signature',
  'size',
  'hash',
  'name',
  'model',
  'upgrade_type',
  'older',
  'security_version',
  'min_agent',
  'url',
  'download',
  'disk',
  'battery',
  'window',
  'expired',
  'busy',
  'unusable',
  'interrupted',
  'error',
  'store',
  'not_this_file',
  'crash',
  'hang',
  'slaves',
  'points',
  'link',
  'unsteady',
] as const;

const REASONS = ['user', 'errors', 'too_few', 'nobody', 'rights', 'key_gone', 'access_password'] as const;

/** In what a gateway was worse than before. */
export const WORSE = ['offline', 'slaves', 'points', 'outages', 'backlog', 'latency', 'memory'] as const;
export type Worse = (typeof WORSE)[number];

/** Key of the words of a code; null for one that this portal does not know and shows as it is. */
export function codeKey(code: string): string | null {
  return (CODES as readonly string[]).includes(code) ? `firmware:code.${code}` : null;
}

/** Key of the words of why a plan is paused. */
export function reasonKey(reason: string): string | null {
  return (REASONS as readonly string[]).includes(reason) ? `firmware:reason.${reason}` : null;
}
