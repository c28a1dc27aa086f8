/** Why commands fail, as the cloud names it. */
const CODES = [
  'offline',
  'asleep',
  'link_down',
  'port_lent',
  'no_trial',
  'no_answer',
  'expired',
  'no_such_point',
  'read_only',
  'bad_value',
  'device_error',
  'bad_frame',
  'port_down',
  'bus_error',
  'mismatch',
  'late',
  'write_only',
  'busy',
  'interrupted',
  'not_available',
  'no_such_slave',
  'bad_argument',
  'failed',
  'refused',
  'no_restart',
  'access_password',
  'locked',
  'internal',
] as const;

/** Key of the text for why a command failed; null for an unknown code. */
export function codeKey(code: string): string | null {
  return (CODES as readonly string[]).includes(code) ? `base:commandCode.${code}` : null;
}
