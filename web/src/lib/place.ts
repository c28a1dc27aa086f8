export interface LngLat {
  longitude: number;
  latitude: number;
}

/** The place that a location point says, "longitude,latitude" in degrees of WGS-84; null for what is none. */
export function placeOf(value: unknown): LngLat | null {
  if (typeof value !== 'string') return null;
  const parts = value.split(',');
  const [longitude = NaN, latitude = NaN] = parts.map(Number);
  const isPlace = parts.length === 2 && Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90;
  return isPlace ? { longitude, latitude } : null;
}

const degrees = (value: number, sides: string): string => `${Math.abs(value).toFixed(6)}°${sides[value < 0 ? 1 : 0]}`;

/** As a person reads it, with all that a receiver says. */
export function placeText({ longitude, latitude }: LngLat): string {
  return `${degrees(latitude, 'NS')} ${degrees(longitude, 'EW')}`;
}
