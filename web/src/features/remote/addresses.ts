/** Where the leases that this browser tab has opened listen. The cloud tells it once, to whoever opened; a reload keeps it. */
const KEY = 'edge.leases';
const MOST = 20;

export interface Address {
  host: string;
  port: number;
}

type Kept = [lease: string, address: Address][];

function read(): Kept {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? (kept as Kept) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

export function keepAddress(lease: string, address: Address): void {
  const kept = read().filter(([known]) => known !== lease);
  sessionStorage.setItem(KEY, JSON.stringify([...kept, [lease, address]].slice(-MOST)));
}

/** Null when another tab or another user has opened it. */
export function addressOf(lease: string): Address | null {
  return read().find(([known]) => known === lease)?.[1] ?? null;
}
