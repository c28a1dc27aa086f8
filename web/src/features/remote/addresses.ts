/** Where the leases that this browser tab has opened listen. The cloud tells it once, to whoever opened; a reload keeps it. */
const KEY = 'edge.leases';
const MAX = 20;

export interface Address {
  host: string;
  port: number;
}

type Stored = [lease: string, address: Address][];

function read(): Stored {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? (stored as Stored) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

export function keepAddress(sessionId: string, address: Address): void {
  const stored = read().filter(([known]) => known !== sessionId);
  sessionStorage.setItem(KEY, JSON.stringify([...stored, [sessionId, address]].slice(-MAX)));
}

/** Null when another tab or another user has opened it. */
export function addressOf(sessionId: string): Address | null {
  return read().find(([known]) => known === sessionId)?.[1] ?? null;
}
