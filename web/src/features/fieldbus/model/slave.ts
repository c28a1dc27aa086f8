import { brokenIn, SLAVE_FIELDS } from './sections';
import type { Broken, Values } from './sections';

/** Fields of the internal slave in the groups of its form. */
export const GROUPS: readonly { name: string; fields: readonly string[]; isOpen: (values: Values) => boolean }[] = [
  { name: 'general', fields: ['enable', 'id'], isOpen: () => true },
  {
    name: 'tcp',
    fields: ['tcp', 'host', 'port', 'allow', 'max_clients', 'idle_timeout_s'],
    isOpen: ({ tcp }) => tcp === true,
  },
  { name: 'line', fields: ['device', 'baud', 'parity', 'stop_bits'], isOpen: ({ device }) => device !== '' },
  { name: 'values', fields: ['bad_values', 'max_age_s', 'max_writes_per_min'], isOpen: () => true },
];

/** Fields that are always there; the others of a group while it is open. */
export const LEADING: ReadonlySet<string> = new Set(['tcp', 'device']);

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/;

/** What is wrong by the names of the fields, as the gateway judges it too. */
export function slaveBroken(values: Values): Record<string, Broken> {
  const broken = brokenIn(SLAVE_FIELDS, values);
  if (values.tcp !== true && values.device === '') broken.device = { rule: 'tcpOrLine' };
  const isOpen = values.enable === true && values.tcp === true && !LOOPBACK.test(String(values.host));
  if (isOpen && (values.allow as readonly string[]).length === 0) broken.allow = { rule: 'allow' };
  return broken;
}
