import { descriptionOf } from '@/blocks/points/protocols';
import type { Tone } from '@/lib/quality';
import { DEVICE_STATUSES } from '@/lib/statusCodes';
import type { DeviceDetail, DeviceRow } from './api';

export function isStatus(text: string): text is (typeof DEVICE_STATUSES)[number] {
  return (DEVICE_STATUSES as readonly string[]).includes(text);
}

/** Users of the platform claim gateways; everybody else is given his. */
const CLAIMING_TYPE = 0;

/** What an empty list tells: how a gateway comes into it for this user. */
export function nothingKey(userType: number): string {
  return userType === CLAIMING_TYPE ? 'monitor:list.nothingText' : 'monitor:list.nothingShared';
}

export type Presence = DeviceRow['presence'];

type Status = Pick<Presence, 'status' | 'layer' | 'code'>;

/** A gateway that was never there: not a fault yet, and told as that. */
export function isNew({ status, code }: Status): boolean {
  return status === 'offline' && code === 'never_connected';
}

/** Colour of a status: only what needs a person is strong. */
export function statusTone(presence: Status): Tone {
  const { status, layer } = presence;
  if (status === 'alarm' || status === 'silent') return 'bad';
  if (status === 'offline') return isNew(presence) ? 'off' : 'bad';
  return layer === 'none' || presence.code === 'asleep' ? 'ok' : 'warn';
}

/** Is a slave of a connected gateway silent? */
export function isSilent({ status, arguments: given }: Presence): boolean {
  return status === 'partly' || status === 'silent' || (status === 'alarm' && Number(given.silent) > 0);
}

const MINUTE_MS = 60_000;
const CODES = [
  'asleep',
  'alarm_open',
  'slave_silent',
  'no_slave_answers',
  'port_lent',
  'clock_not_set',
  'samples_dropped',
  'store_full',
  'store_filling',
] as const;
export type PresenceCode = (typeof CODES)[number];
const OF_SLAVES: ReadonlySet<PresenceCode> = new Set(['slave_silent', 'no_slave_answers']);

/** Why a gateway that is connected is not well: the code, and numbers for its text. Null when all is well or unknown. */
export interface Complaint {
  code: PresenceCode;
  /** Name of the silent slave. */
  title: string;
  /** How long a slave has been silent; null when it never answered. */
  silent_ms: number | null;
  /** Further slaves that are silent, open alarms, lost samples or lost batches. */
  count: number;
  /** Slaves in all, and slaves that are silent while an alarm is open. */
  total: number;
  silent: number;
  /** Until the store is full. */
  left_ms: number;
  /** Code of the slave's own reason. */
  reason: string;
  /** A port that is lent, and to whom; empty when it was not borrowed through the cloud. */
  port: string;
  user: string;
  /** When a gateway that is asleep reports next. */
  back_ms: number;
}

export function complaintOf({ code, arguments: given }: Presence, nowMs: number): Complaint | null {
  const known = CODES.find((each) => each === code);
  if (known === undefined) return null;
  const number = (name: string): number => (typeof given[name] === 'number' ? given[name] : 0);
  const text = (name: string): string => (typeof given[name] === 'string' ? given[name] : '');
  const lastGood = number('last_good_ms');
  return {
    code: known,
    title: text('title') || text('slave'),
    silent_ms: OF_SLAVES.has(known) && lastGood > 0 ? Math.max(nowMs - lastGood, 0) : null,
    count: OF_SLAVES.has(known) ? Math.max(number('count') - 1, 0) : number('count'),
    total: number('total'),
    silent: number('silent'),
    left_ms: Math.max(number('hours_left') * 60 * MINUTE_MS, 0),
    reason: text('reason'),
    port: text('port'),
    user: text('user'),
    back_ms: number('back_ms'),
  };
}

/** When somebody last tried to connect as this gateway with a secret that is not its own; null when that is not why it is away. */
export function wrongSecretAt({ code, arguments: given }: Presence): number | null {
  return code === 'wrong_secret' && typeof given.tried_ms === 'number' ? given.tried_ms : null;
}

/** From then on a gateway knows how fast its store fills; before that none means that it does not know yet. */
const FILL_KNOWN_MS = 10 * MINUTE_MS;

/** Is it known of a store without an estimate that it does not fill? An empty one does not, nor one that was watched for long enough. */
export function isSteady(
  { link, backlog_batches, hours_left }: Pick<DeviceRow, 'link' | 'backlog_batches' | 'hours_left'>,
  nowMs: number,
): boolean {
  if (!link.online || typeof hours_left === 'number') return false;
  return backlog_batches === 0 || (typeof link.since_ms === 'number' && nowMs - link.since_ms >= FILL_KNOWN_MS);
}

type Lending = Pick<DeviceDetail, 'link' | 'slaves'>;

/** The slave of that name when its port is lent: nothing reaches it until the port is back. */
export function slaveOnLockedPort({ link, slaves }: Lending, name: string): DeviceDetail['slaves'][number] | null {
  return link.online
    ? (slaves.find((slave) => slave.name === name && !slave.online && slave.reason === 'port_lent') ?? null)
    : null;
}

/** The slave of a connected gateway that does not answer, by the gateway's own word; null for one that does, or is not known, or is lent. */
export function silentSlave({ link, slaves }: Lending, name: string): DeviceDetail['slaves'][number] | null {
  if (!link.online) return null;
  return (
    slaves.find(
      (slave) =>
        slave.name === name &&
        !slave.online &&
        (slave.last_good_ms > 0 || slave.reason !== '') &&
        slave.reason !== 'port_lent',
    ) ?? null
  );
}

/** The slaves among those written to that do not answer, each once. */
export function silentOf(
  device: Lending,
  writes: readonly { dsid: number }[],
  sources: ReadonlyMap<number, { slave: string }>,
): DeviceDetail['slaves'] {
  const names = new Set(writes.map(({ dsid }) => sources.get(dsid)?.slave ?? ''));
  return [...names].flatMap((name) => silentSlave(device, name) ?? []);
}

/** A protocol that this portal does not know is shown by its code. */
export function protocolName(code: string): string {
  return descriptionOf(code)?.short ?? code;
}

/** What a gateway speaks to its slaves, each once, in the order of the slaves; empty while it has none. */
export function protocolsOf(slaves: readonly { protocol: string }[]): string {
  return [...new Set(slaves.map((slave) => protocolName(slave.protocol)))].join(', ');
}
