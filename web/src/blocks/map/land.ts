import type { MultiPolygon, Position } from 'geojson';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import landUrl from 'world-atlas/land-50m.json?url';
import { project } from './model';

type Land = GeometryCollection | { type: 'MultiPolygon' };

let loading: Promise<MultiPolygon> | null = null;

/** Land of the whole world, without borders of any kind, from this portal's own files. */
export function land(): Promise<MultiPolygon> {
  loading ??= load().catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

async function load(): Promise<MultiPolygon> {
  const answer = await fetch(landUrl);
  if (!answer.ok) throw new Error(`land: ${answer.status}`);
  const atlas = (await answer.json()) as Topology<{ land: Land & GeometryCollection }>;
  const coordinates = feature(atlas, atlas.objects.land).features.flatMap(({ geometry }) => {
    if (geometry.type === 'MultiPolygon') return geometry.coordinates;
    return geometry.type === 'Polygon' ? [geometry.coordinates] : [];
  });
  return { type: 'MultiPolygon', coordinates: coordinates.map((polygon) => polygon.map(unwound)) };
}

const HALF_TURN = 180;
const TURN = 360;

/**
 * A ring without jumps over the 180th meridian: it goes on beyond 180 instead, where a flat map can draw it. One that
 * goes around a pole is closed by way of it.
 */
export function unwound(ring: readonly Position[]): Position[] {
  let shift = 0;
  let before: number | undefined;
  const projected = ring.map(([longitude = 0, latitude = 0]) => {
    if (before !== undefined && Math.abs(longitude - before) > HALF_TURN) shift += longitude < before ? TURN : -TURN;
    before = longitude;
    return [longitude + shift, latitude];
  });
  const [first, last] = [projected[0], projected.at(-1)];
  if (shift === 0 || first === undefined || last === undefined) return projected;
  const pole = (last[1] as number) < 0 ? -90 : 90;
  return [...projected, [last[0] as number, pole], [first[0] as number, pole], first];
}

/** The land as an SVG path on a square of 0 to size, in Mercator. */
export function landPath({ coordinates }: MultiPolygon, size: number): string {
  return coordinates
    .flat()
    .map((ring) => `${linePath(ring, size)}Z`)
    .join('');
}

/** A line of degrees on the same square. */
export function linePath(line: readonly (readonly number[])[], size: number): string {
  const points = line.map(([longitude = 0, latitude = 0]) => {
    const [x, y] = project({ longitude, latitude });
    return `${(x * size).toFixed(2)} ${(y * size).toFixed(2)}`;
  });
  return `M${points.join('L')}`;
}
