import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ListProtocolsData, ListProtocolsResponse, ProtocolForm } from '@/api/generated/types.gen';
import { answer } from './network';

/** As the cloud serves them: exported from the gateway's packages. */
const read = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../../../cloud/cloud/domains/points/protocols.json'), 'utf8'),
) as Record<string, Omit<ProtocolForm, 'name'>>;

export const forms: ProtocolForm[] = Object.entries(read).map(([name, form]) => ({ name, ...form }));

/** The cloud serves the forms of all protocols. */
export function answerProtocols(): void {
  answer<ListProtocolsData, ListProtocolsResponse>('get', '/api/v1/device/protocol', { rows: forms });
}
