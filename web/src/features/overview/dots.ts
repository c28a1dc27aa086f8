import type { Places } from './api';

export interface Dot {
  id: number;
  title: string;
  status: string;
  /** In a box of width and height. */
  x: number;
  y: number;
}

/** Least span in degrees, so that one place is not a whole picture. */
const MIN_DEGREES = 0.02;
const MARGIN = 8;

/** Places in a box, north up and in proportion at their middle latitude; the worst are drawn last, above the others. */
export function dotsIn({ dots }: Pick<Places, 'dots'>, width: number, height: number): readonly Dot[] {
  if (dots.length === 0) return [];
  const east = dots.map(({ longitude }) => longitude);
  const north = dots.map(({ latitude }) => latitude);
  const middle: readonly [number, number] = [
    (Math.min(...east) + Math.max(...east)) / 2,
    (Math.min(...north) + Math.max(...north)) / 2,
  ];
  const narrower = Math.cos((middle[1] * Math.PI) / 180);
  const wide = Math.max((Math.max(...east) - Math.min(...east)) * narrower, MIN_DEGREES);
  const high = Math.max(Math.max(...north) - Math.min(...north), MIN_DEGREES);
  const scale = Math.min((width - 2 * MARGIN) / wide, (height - 2 * MARGIN) / high);
  return dots
    .map(({ device_id, device_title, longitude, latitude, status }) => ({
      id: device_id,
      title: device_title,
      status,
      x: width / 2 + (longitude - middle[0]) * narrower * scale,
      y: height / 2 - (latitude - middle[1]) * scale,
    }))
    .toReversed();
}
