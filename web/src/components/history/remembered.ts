import { useCallback, useSyncExternalStore } from 'react';
import type { DeviceSource } from './useSources';

/** Points that were looked at, or marked, of one user in this browser. */
export interface RememberedPoint {
  dsid: number;
  deviceId: number;
  /** Device, slave and point, as they were called then. */
  label: string;
}

type Named = Pick<DeviceSource, 'deviceTitle' | 'slave_title' | 'ds_title'>;

export function labelOf({ deviceTitle, slave_title, ds_title }: Named): string {
  return [deviceTitle, slave_title, ds_title].filter((part) => part !== '').join(' · ');
}

export function pointOf(source: DeviceSource): RememberedPoint {
  return { dsid: source.dsid, deviceId: source.deviceId, label: labelOf(source) };
}

export type Shelf = 'recent' | 'favourite';

const MOST: Readonly<Record<Shelf, number>> = { recent: 12, favourite: 40 };
const NONE: readonly RememberedPoint[] = [];
const listeners = new Set<() => void>();
/** So that what is read twice is one and the same object. */
const known = new Map<string, { text: string; points: readonly RememberedPoint[] }>();

const keyOf = (shelf: Shelf, user: number): string => `edge.points.${shelf}.${user}`;

function isPoint(one: unknown): one is RememberedPoint {
  const { dsid, deviceId, label } = (one ?? {}) as Partial<RememberedPoint>;
  return typeof dsid === 'number' && typeof deviceId === 'number' && typeof label === 'string';
}

export function read(shelf: Shelf, user: number, storage: Pick<Storage, 'getItem'> = localStorage): readonly RememberedPoint[] {
  const key = keyOf(shelf, user);
  const text = storage.getItem(key) ?? '';
  const before = known.get(key);
  if (before?.text === text) return before.points;
  let points = NONE;
  try {
    const found: unknown = JSON.parse(text);
    if (Array.isArray(found)) points = found.filter(isPoint).slice(0, MOST[shelf]);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  known.set(key, { text, points });
  return points;
}

/** The newest first, each once. */
export function added(points: readonly RememberedPoint[], more: readonly RememberedPoint[], most: number): RememberedPoint[] {
  const ids = new Set(more.map(({ dsid }) => dsid));
  return [...more, ...points.filter(({ dsid }) => !ids.has(dsid))].slice(0, most);
}

function write(shelf: Shelf, user: number, points: readonly RememberedPoint[]): void {
  try {
    localStorage.setItem(keyOf(shelf, user), JSON.stringify(points));
  } catch (error) {
    if (!(error instanceof DOMException)) throw error; // a full storage forgets
  }
  for (const listener of listeners) listener();
}

export function remember(shelf: Shelf, user: number, points: readonly RememberedPoint[]): void {
  write(shelf, user, added(read(shelf, user), points, MOST[shelf]));
}

export function forget(shelf: Shelf, user: number, dsid: number): void {
  write(shelf, user, read(shelf, user).filter((point) => point.dsid !== dsid));
}

export function useRemembered(shelf: Shelf, user: number): readonly RememberedPoint[] {
  const subscribe = useCallback((listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return useSyncExternalStore(subscribe, () => read(shelf, user));
}
