import { converted } from './datum';
import type { Datum } from './datum';
import type { Bounds, LngLat, MapPosition, Place } from './model';

/** Between WGS-84, in which everything is kept, and the datum in which a map's tiles are drawn. */

export type Lines = readonly (readonly (readonly [number, number])[])[];

export function placesIn(places: readonly Place[], datum: Datum): readonly Place[] {
  return datum === 'WGS84' ? places : places.map((place) => ({ ...place, ...converted(place, 'WGS84', datum) }));
}

export function linesIn(lines: Lines, datum: Datum): Lines {
  if (datum === 'WGS84') return lines;
  return lines.map((line) =>
    line.map(([longitude, latitude]): [number, number] => {
      const at = converted({ longitude, latitude }, 'WGS84', datum);
      return [at.longitude, at.latitude];
    }),
  );
}

export function pointIn<Point extends LngLat>(point: Point, datum: Datum): Point {
  return datum === 'WGS84' ? point : { ...point, ...converted(point, 'WGS84', datum) };
}

export function pointFrom<Point extends LngLat>(point: Point, datum: Datum): Point {
  return datum === 'WGS84' ? point : { ...point, ...converted(point, datum, 'WGS84') };
}

/** Of a part of the map; its corners are a few hundred metres elsewhere at most. */
export function boundsFrom(bounds: Bounds, datum: Datum): Bounds {
  if (datum === 'WGS84') return bounds;
  const low = converted({ longitude: bounds.west, latitude: bounds.south }, datum, 'WGS84');
  const high = converted({ longitude: bounds.east, latitude: bounds.north }, datum, 'WGS84');
  return { west: low.longitude, south: low.latitude, east: high.longitude, north: high.latitude };
}

export function startIn(position: MapPosition | null, datum: Datum): MapPosition | null {
  return position === null ? null : pointIn(position, datum);
}
