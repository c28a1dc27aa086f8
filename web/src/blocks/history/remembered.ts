import type { DeviceSource } from './useSources';

/** A point that was looked at, or marked. */
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

/** What a browser keeps of a user. Marked ones of earlier days: favourites.ts hands them over to the cloud. */
export type PointList = 'recent' | 'favourite';

const MAX: Readonly<Record<PointList, number>> = { recent: 12, favourite: 40 };
const NONE: readonly RememberedPoint[] = [];
/** So that what is read twice is one and the same object. */
const known = new Map<string, { text: string; points: readonly RememberedPoint[] }>();

const keyOf = (list: PointList, user: number): string => `edge.points.${list}.${user}`;

function isPoint(one: unknown): one is RememberedPoint {
  const { dsid, deviceId, label } = (one ?? {}) as Partial<RememberedPoint>;
  return typeof dsid === 'number' && typeof deviceId === 'number' && typeof label === 'string';
}

export function read(
  list: PointList,
  user: number,
  storage: Pick<Storage, 'getItem'> = localStorage,
): readonly RememberedPoint[] {
  const key = keyOf(list, user);
  const text = storage.getItem(key) ?? '';
  const before = known.get(key);
  if (before?.text === text) return before.points;
  let points = NONE;
  try {
    const parsed: unknown = JSON.parse(text);
    if (Array.isArray(parsed)) points = parsed.filter(isPoint).slice(0, MAX[list]);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  known.set(key, { text, points });
  return points;
}

/** The newest first, each once. */
export function added(
  points: readonly RememberedPoint[],
  more: readonly RememberedPoint[],
  max: number,
): RememberedPoint[] {
  const ids = new Set(more.map(({ dsid }) => dsid));
  return [...more, ...points.filter(({ dsid }) => !ids.has(dsid))].slice(0, max);
}

export function write(list: PointList, user: number, points: readonly RememberedPoint[]): void {
  try {
    if (points.length === 0) localStorage.removeItem(keyOf(list, user));
    else localStorage.setItem(keyOf(list, user), JSON.stringify(points));
  } catch (error) {
    if (!(error instanceof DOMException)) throw error; // a full storage forgets
  }
}

export function remember(list: PointList, user: number, points: readonly RememberedPoint[]): void {
  write(list, user, added(read(list, user), points, MAX[list]));
}
