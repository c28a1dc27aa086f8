import type { Geometry, GeometryCollection, Position } from 'geojson';

type Line = [number, number][];

/** As in the cloud. */
export const MAX_VERTICES = 30_000;
const MAX_LINES = 3000;
export const MAX_FILE_BYTES = 20 * 1024 * 1024;
/** Of a degree: about a metre. */
const DIGITS = 5;

export type BorderFault = 'json' | 'none' | 'degrees' | 'many';

export type Borders = { lines: Line[]; vertices: number } | { fault: BorderFault; count: number };

/** Lines out of a GeoJSON file (RFC 7946, WGS-84): lines as they are, of areas their edges. */
export function bordersOf(text: string): Borders {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return { fault: 'json', count: 0 };
  }
  const lines = geometriesOf(given)
    .flatMap(linesOf)
    .map(simpler)
    .filter((line) => line.length >= 2);
  if (lines.length === 0) return { fault: 'none', count: 0 };
  if (!lines.every((line) => line.every(isPlace))) return { fault: 'degrees', count: 0 };
  const vertices = lines.reduce((sum, line) => sum + line.length, 0);
  if (vertices > MAX_VERTICES || lines.length > MAX_LINES) return { fault: 'many', count: vertices };
  return { lines, vertices };
}

function geometriesOf(given: unknown): Exclude<Geometry, GeometryCollection>[] {
  if (typeof given !== 'object' || given === null) return [];
  const { type, features, geometries, geometry } = given as Record<string, unknown>;
  if (type === 'FeatureCollection' && Array.isArray(features)) return features.flatMap(geometriesOf);
  if (type === 'GeometryCollection' && Array.isArray(geometries)) return geometries.flatMap(geometriesOf);
  if (type === 'Feature') return geometriesOf(geometry);
  return [given as Exclude<Geometry, GeometryCollection>];
}

function linesOf(geometry: Exclude<Geometry, GeometryCollection>): Position[][] {
  if (!Array.isArray(geometry.coordinates)) return [];
  const depth = { LineString: 0, MultiLineString: 1, Polygon: 1, MultiPolygon: 2 }[geometry.type as string];
  return depth === undefined ? [] : ([geometry.coordinates].flat(depth) as unknown as Position[][]);
}

/** Rounded, without points that fall on the one before. */
function simpler(line: readonly Position[]): Line {
  const points: Line = [];
  if (!Array.isArray(line)) return points;
  for (const point of line) {
    const [x, y] = Array.isArray(point) ? [Number(point[0]), Number(point[1])] : [NaN, NaN];
    const next: [number, number] = [Number(x.toFixed(DIGITS)), Number(y.toFixed(DIGITS))];
    const last = points.at(-1);
    if (last === undefined || last[0] !== next[0] || last[1] !== next[1]) points.push(next);
  }
  return points;
}

function isPlace([x, y]: readonly [number, number]): boolean {
  return Math.abs(x) <= 180 && Math.abs(y) <= 90;
}
