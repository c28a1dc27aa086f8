import * as sdk from '@/api/generated/sdk.gen';
import type { FirmwareGatewayRow, ListFirmwareGatewaysData } from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { Choice } from '@/components/AsyncPicker';
import type { Page } from '@/components/resource/resource';

/** Gateways that are added at once; more are chosen by project. */
export const MAX_ADDED = 500;
const LISTED_AT_ONCE = 100;
const SERIALS_AT_ONCE = 50;
const MAX_SERIAL = 40;

export interface Matching {
  search: string;
  /** With all below it; '' for any. */
  project: string;
}

type Query = NonNullable<ListFirmwareGatewaysData['query']>;

const list = (query: Query, signal: AbortSignal): Promise<Page<FirmwareGatewayRow>> =>
  call(sdk.listFirmwareGateways({ query, signal }));

export function gatewayChoice({
  device_id,
  device_title,
  gateway_id,
}: Pick<FirmwareGatewayRow, 'device_id' | 'device_title' | 'gateway_id'>): Choice {
  const label = device_title === gateway_id ? gateway_id : `${device_title} (${gateway_id})`;
  return { value: String(device_id), label };
}

const queryOf = ({ search, project }: Matching): Query => ({
  takes_firmware: true,
  search: search || undefined,
  project_id: project === '' ? undefined : Number(project),
});

/** How many gateways that take firmware match. */
export async function countMatching(matching: Matching, signal: AbortSignal): Promise<number> {
  return (await list({ ...queryOf(matching), page: 1, limit: 1 }, signal)).total;
}

/** Those that match, the first MAX_ADDED by their titles. */
export async function loadMatching(matching: Matching): Promise<Choice[]> {
  const { signal } = new AbortController();
  const found: Choice[] = [];
  for (let page = 1; found.length < MAX_ADDED; page += 1) {
    const { rows } = await list({ ...queryOf(matching), page, limit: LISTED_AT_ONCE }, signal);
    found.push(...rows.map(gatewayChoice));
    if (rows.length < LISTED_AT_ONCE) break;
  }
  return found.slice(0, MAX_ADDED);
}

/** Serial numbers of a pasted text, each once: by lines, blanks, commas or semicolons. */
export function serialsOf(text: string): string[] {
  return [...new Set(text.split(/[\s,;\uff0c\uff1b\u3001]+/).filter(Boolean))];
}

export interface FoundSerials {
  choices: Choice[];
  /** Nobody has these, or the user does not see them. */
  unknown: string[];
  /** They are there, and take no firmware. */
  unable: string[];
}

export async function findSerials(serials: readonly string[]): Promise<FoundSerials> {
  const { signal } = new AbortController();
  const known = new Map<string, FirmwareGatewayRow>();
  const asked = serials.filter((serial) => serial.length <= MAX_SERIAL);
  for (let from = 0; from < asked.length; from += SERIALS_AT_ONCE) {
    const some = asked.slice(from, from + SERIALS_AT_ONCE);
    const { rows } = await list({ gateway_id: some, page: 1, limit: SERIALS_AT_ONCE }, signal);
    for (const row of rows) known.set(row.gateway_id, row);
  }
  const found: FoundSerials = { choices: [], unknown: [], unable: [] };
  for (const serial of serials) {
    const row = known.get(serial);
    if (row === undefined) found.unknown.push(serial);
    else if (!row.takes_firmware) found.unable.push(serial);
    else found.choices.push(gatewayChoice(row));
  }
  return found;
}

/** chosen with those of more that it has not, as far as there is room; added: how many came. */
export function joined(
  chosen: readonly Choice[],
  more: readonly Choice[],
  max: number,
): { chosen: Choice[]; added: number } {
  const had = new Set(chosen.map(({ value }) => value));
  const added = more.filter(({ value }) => !had.has(value)).slice(0, Math.max(0, max - chosen.length));
  return { chosen: [...chosen, ...added], added: added.length };
}
