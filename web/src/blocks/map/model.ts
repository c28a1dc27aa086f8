/** Pure parts of the map: places, what is in view, groups of places. Degrees of WGS-84. */

/** As the cloud numbers them: 0 offline, 1 online, 2 alarm, 3 never connected, 4 partly offline, 5 no slave answers. */
export type PlaceStatus = 0 | 1 | 2 | 3 | 4 | 5;

export interface LngLat {
  longitude: number;
  latitude: number;
}

export interface Place extends LngLat {
  id: number;
  status: PlaceStatus;
  title: string;
}

/** Middle of a map and how near it is: at zoom 0 the world is 512 px wide, each step doubles it. */
export interface MapPosition extends LngLat {
  zoom: number;
}

export interface Bounds {
  west: number;
  south: number;
  east: number;
  north: number;
}

export const WORLD_PX = 512;
export const MAX_ZOOM = 18;
/** Places this near are drawn one by one. */
export const CLUSTER_TO_ZOOM = 16;
export const CLUSTER_PX = 46;
/** Before anything is known: eastern Asia. */
export const START: MapPosition = { longitude: 105, latitude: 34, zoom: 2.6 };

/** The worse, the larger. What never came is no fault yet: below what is well, so that it colours no group. */
const BADNESS: Readonly<Record<PlaceStatus, number>> = { 3: 0, 1: 1, 4: 2, 5: 3, 0: 4, 2: 5 };

export function badness(status: PlaceStatus): number {
  return BADNESS[status];
}

/** Word of a status, as a list of devices names it. */
export const STATUS_WORD = {
  0: 'offline',
  1: 'online',
  2: 'alarm',
  3: 'new',
  4: 'partly',
  5: 'silent',
} as const satisfies Record<PlaceStatus, string>;

/** Mercator, 0 to 1 from west to east and from north to south. */
export function project({ longitude, latitude }: LngLat): [x: number, y: number] {
  const radians = (Math.max(-85.05, Math.min(85.05, latitude)) * Math.PI) / 180;
  return [(longitude + 180) / 360, (1 - Math.log(Math.tan(radians) + 1 / Math.cos(radians)) / Math.PI) / 2];
}

export function unproject(x: number, y: number): LngLat {
  return { longitude: x * 360 - 180, latitude: (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI };
}

export function boundsOf(places: readonly LngLat[]): Bounds | null {
  if (places.length === 0) return null;
  const bounds = { west: 180, south: 90, east: -180, north: -90 };
  for (const { longitude, latitude } of places) {
    bounds.west = Math.min(bounds.west, longitude);
    bounds.east = Math.max(bounds.east, longitude);
    bounds.south = Math.min(bounds.south, latitude);
    bounds.north = Math.max(bounds.north, latitude);
  }
  return bounds;
}

/** Does the part in view hold a place? A view may reach over the 180th meridian. */
export function isWithin({ west, south, east, north }: Bounds, { longitude, latitude }: LngLat): boolean {
  if (latitude < south || latitude > north) return false;
  if (east - west >= 360) return true;
  const turned = longitude < west ? longitude + 360 : longitude > east ? longitude - 360 : longitude;
  return turned >= west && turned <= east;
}

/** Pixels at the edges of a frame that something stands over. */
export interface Covered {
  top: number;
  right: number;
}

const BARE: Covered = { top: 0, right: 0 };
/** What is over the map is left alone where it would leave less than this part of the frame. */
const MIN_BARE = 0.4;

/** Where everything is seen, with a margin, in a frame of this size; START without places. */
export function fitted(
  places: readonly LngLat[],
  fullWidth: number,
  fullHeight: number,
  maxZoom = 12,
  covered = BARE,
): MapPosition {
  const bounds = boundsOf(places);
  if (bounds === null || fullWidth <= 0 || fullHeight <= 0) return START;
  const over = covered.right < fullWidth * (1 - MIN_BARE) && covered.top < fullHeight * (1 - MIN_BARE) ? covered : BARE;
  const [width, height] = [fullWidth - over.right, fullHeight - over.top];
  const [left, top] = project({ longitude: bounds.west, latitude: bounds.north });
  const [right, bottom] = project({ longitude: bounds.east, latitude: bounds.south });
  const room = 0.86;
  const wide = Math.log2((width * room) / WORLD_PX / Math.max(right - left, 1e-9));
  const high = Math.log2((height * room) / WORLD_PX / Math.max(bottom - top, 1e-9));
  const zoom = Math.max(0.5, Math.min(maxZoom, wide, high));
  const scale = WORLD_PX * 2 ** zoom;
  return { ...unproject((left + right) / 2 + over.right / 2 / scale, (top + bottom) / 2 - over.top / 2 / scale), zoom };
}

export interface Group extends LngLat {
  count: number;
  worst: PlaceStatus;
  /** The place itself when there is only one. */
  only: Place | null;
}

/** Of Mercator's coordinates. */
interface Sum extends Pick<Group, 'count' | 'worst' | 'only'> {
  x: number;
  y: number;
}

/** Places of a view in groups of a grid; of those outside of it none. */
export function grouped(places: readonly Place[], view: MapPosition, width: number, height: number): Group[] {
  const scale = WORLD_PX * 2 ** view.zoom;
  const [middleX, middleY] = project(view);
  const cells = new Map<string, Sum>();
  for (const place of places) {
    const [x, y] = project(place);
    const [left, top] = [(x - middleX) * scale + width / 2, (y - middleY) * scale + height / 2];
    if (left < -CLUSTER_PX || top < -CLUSTER_PX || left > width + CLUSTER_PX || top > height + CLUSTER_PX) continue;
    // Cells stay where they are while the map is moved.
    const key =
      view.zoom > CLUSTER_TO_ZOOM
        ? String(place.id)
        : `${Math.floor((x * scale) / CLUSTER_PX)} ${Math.floor((y * scale) / CLUSTER_PX)}`;
    const known = cells.get(key);
    if (known === undefined) {
      cells.set(key, { count: 1, worst: place.status, only: place, x, y });
    } else {
      known.count += 1;
      known.only = null;
      known.x += x;
      known.y += y;
      if (badness(place.status) > badness(known.worst)) known.worst = place.status;
    }
  }
  const sums =
    view.zoom > CLUSTER_TO_ZOOM ? [...cells.values()] : joined([...cells.values()], (CLUSTER_PX * 0.8) / scale);
  return sums.map(({ x, y, count, worst, only }) => ({ ...unproject(x / count, y / count), count, worst, only }));
}

/** The largest groups take those in that would lie over them. */
function joined(sums: readonly Sum[], nearest: number): Sum[] {
  const kept: Sum[] = [];
  for (const one of [...sums].sort((a, b) => b.count - a.count)) {
    const near = kept.find(
      (other) =>
        Math.hypot(other.x / other.count - one.x / one.count, other.y / other.count - one.y / one.count) < nearest,
    );
    if (near === undefined) {
      kept.push(one);
      continue;
    }
    near.count += one.count;
    near.x += one.x;
    near.y += one.y;
    near.only = null;
    if (badness(one.worst) > badness(near.worst)) near.worst = one.worst;
  }
  return kept;
}

/** 10832 as 11k: what fits into a circle. */
export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  return `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`;
}

const STEPS = [30, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005];
/** So many degrees lie between two lines of the grid. */
export function gridStep(degreesInView: number): number {
  return STEPS.find((step) => degreesInView / step >= 4) ?? 0.0002;
}

/** Meridians and parallels of a part of the map. */
export function gridLines({ west, south, east, north }: Bounds): { meridians: number[]; parallels: number[] } {
  const step = gridStep(Math.min(east - west, 360));
  const between = (from: number, to: number): number[] => {
    const first = Math.ceil(from / step);
    return Array.from({ length: Math.max(0, Math.min(60, Math.floor(to / step) - first + 1)) }, (_, index) =>
      Number(((first + index) * step).toFixed(4)),
    );
  };
  return { meridians: between(west, east), parallels: between(Math.max(-85, south), Math.min(85, north)) };
}

const turned = (longitude: number): number => ((((longitude + 180) % 360) + 360) % 360) - 180;

/** 120°E, 30.5°N */
export function degreeText(value: number, axis: 'longitude' | 'latitude'): string {
  const wrapped = axis === 'longitude' ? turned(value) : value;
  const side = axis === 'longitude' ? (wrapped < 0 ? 'W' : 'E') : wrapped < 0 ? 'S' : 'N';
  return `${Number(Math.abs(wrapped).toFixed(4))}°${wrapped === 0 ? '' : side}`;
}

/** 'lng,lat,zoom' of an address; null for what is none. */
export function positionOf(text: string | undefined): MapPosition | null {
  const [longitude, latitude, zoom] = (text ?? '').split(',').map(Number);
  const isOne =
    [longitude, latitude, zoom].every((one) => one !== undefined && Number.isFinite(one)) &&
    (text ?? '').split(',').length === 3;
  if (
    !isOne ||
    Math.abs(latitude as number) > 90 ||
    Math.abs(longitude as number) > 540 ||
    (zoom as number) < 0 ||
    (zoom as number) > MAX_ZOOM
  )
    return null;
  return { longitude: longitude as number, latitude: latitude as number, zoom: zoom as number };
}

export function positionText({ longitude, latitude, zoom }: MapPosition): string {
  return `${Number(longitude.toFixed(5))},${Number(latitude.toFixed(5))},${Number(zoom.toFixed(2))}`;
}
