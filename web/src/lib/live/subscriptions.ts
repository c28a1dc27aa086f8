export interface SubscribeMessage {
  type: 'subscribe' | 'unsubscribe';
  devices: number[];
  dsids: number[];
}

/** Most ids in one message. */
export const CHUNK = 500;

/** Counts who wants what, and says what the server must be told. Pure. */
export class Subscriptions {
  readonly #wanted = { devices: new Map<number, number>(), dsids: new Map<number, number>() };
  readonly #told = { devices: new Set<number>(), dsids: new Set<number>() };

  add(kind: 'devices' | 'dsids', id: number): void {
    this.#wanted[kind].set(id, (this.#wanted[kind].get(id) ?? 0) + 1);
  }

  remove(kind: 'devices' | 'dsids', id: number): void {
    const count = (this.#wanted[kind].get(id) ?? 0) - 1;
    if (count > 0) this.#wanted[kind].set(id, count);
    else this.#wanted[kind].delete(id);
  }

  /** A new connection knows nothing. */
  forget(): void {
    this.#told.devices.clear();
    this.#told.dsids.clear();
  }

  /** Messages that bring the server up to date; they count as told. */
  changes(): SubscribeMessage[] {
    const fresh = { devices: this.#missing('devices'), dsids: this.#missing('dsids') };
    const stale = { devices: this.#surplus('devices'), dsids: this.#surplus('dsids') };
    return [...chunks('unsubscribe', stale), ...chunks('subscribe', fresh)];
  }

  #missing(kind: 'devices' | 'dsids'): number[] {
    const ids = [...this.#wanted[kind].keys()].filter((id) => !this.#told[kind].has(id));
    for (const id of ids) this.#told[kind].add(id);
    return ids;
  }

  #surplus(kind: 'devices' | 'dsids'): number[] {
    const ids = [...this.#told[kind]].filter((id) => !this.#wanted[kind].has(id));
    for (const id of ids) this.#told[kind].delete(id);
    return ids;
  }
}

function chunks(type: SubscribeMessage['type'], ids: { devices: number[]; dsids: number[] }): SubscribeMessage[] {
  const messages: SubscribeMessage[] = [];
  for (let at = 0; at < Math.max(ids.devices.length, ids.dsids.length); at += CHUNK) {
    messages.push({ type, devices: ids.devices.slice(at, at + CHUNK), dsids: ids.dsids.slice(at, at + CHUNK) });
  }
  return messages;
}
