const KNOWN = [
  'ok',
  'never_connected',
  'link_lost',
  'stopped',
  'silent',
  'version',
  'not_claimed',
  'disabled',
  'reset',
  'wrong_secret',
  'asleep',
  'switched',
  'never_read',
  'no_answer',
  'port_down',
  'port_lent',
  'bad_frame',
  'device_error',
  'bus_error',
  'rule_changed',
  'point_removed',
  'card_moved',
  'card_bound',
  'target_down',
  'target_removed',
] as const;

/** Key of the text for why a gateway or slave is away, or an alarm over; null for a code that this portal does not know and shows as it is. */
export function reasonKey(reason: string): string | null {
  return (KNOWN as readonly string[]).includes(reason) ? `base:reason.${reason}` : null;
}

/** Key of the sentence, with {{name}}, for an alarm of a forwarding target, whose title is the target's name; null for another cause. */
export function targetKey(cause: string): string | null {
  return cause.startsWith('target_') && reasonKey(cause) !== null ? `base:targetAlarm.${cause}` : null;
}
