import gcoord from 'gcoord';
import { isPlace } from './isPlace';
import type { LngLat } from './model';

/** Coordinates are kept in WGS-84; Chinese map services show GCJ-02 (Amap, Tencent) or BD-09 (Baidu). */
export const DATUMS = ['WGS84', 'GCJ02', 'BD09'] as const;

export type Datum = (typeof DATUMS)[number];

const CRS = { WGS84: gcoord.WGS84, GCJ02: gcoord.GCJ02, BD09: gcoord.BD09 } as const;
/** Of a degree: about 0.1 m. */
const DIGITS = 6;

export function rounded(value: number): number {
  return Number(value.toFixed(DIGITS));
}

export function converted({ longitude, latitude }: LngLat, from: Datum, to: Datum): LngLat {
  if (from === to) return { longitude, latitude };
  const [x, y] = gcoord.transform<[number, number]>([longitude, latitude], CRS[from], CRS[to]);
  return { longitude: rounded(x), latitude: rounded(y) };
}

/** As an input holds it while it is typed: '116.' and '-' too. */
export type Figures = Partial<Record<keyof LngLat, number | string>>;

/**
 * What was typed, in which datum, and the place of WGS-84 that came of it: null when nothing is typed. What is no place yet
 * (half a pair, beyond the world) is kept as it is, with NaN for what is missing, and is not isPlace().
 */
export interface Typed {
  datum: Datum;
  figures: Figures;
  result: LngLat | null;
}

function isSame(one: LngLat | null, other: LngLat | null): boolean {
  return one === null || other === null
    ? one === other
    : Object.is(one.longitude, other.longitude) && Object.is(one.latitude, other.latitude);
}

/** Figures of a place in a datum; those that it was typed with, as long as it is still that place. */
export function figuresOf(value: LngLat | null, datum: Datum, typed: Typed | null): Figures {
  if (
    typed !== null &&
    (typed.datum === datum || typed.result === null || !isPlace(typed.result.longitude, typed.result.latitude)) &&
    isSame(value, typed.result)
  )
    return typed.figures;
  if (value === null) return {};
  if (isPlace(value.longitude, value.latitude)) return converted(value, 'WGS84', datum);
  return Object.fromEntries(Object.entries(value).filter(([, figure]) => Number.isFinite(figure)));
}

export function typedAs(figures: Figures, datum: Datum): Typed {
  const [longitude, latitude] = [figures.longitude, figures.latitude].map((one) =>
    one === undefined || one === '' ? NaN : Number(one),
  ) as [number, number];
  if (Number.isNaN(longitude) && Number.isNaN(latitude)) return { datum, figures, result: null };
  return {
    datum,
    figures,
    result: isPlace(longitude, latitude) ? converted({ longitude, latitude }, datum, 'WGS84') : { longitude, latitude },
  };
}

/** A number with its minutes and seconds, and the side of the world before or after it. */
const PART =
  /([NSEW\u4e1c\u897f\u5357\u5317])?\s*([+-]?\d+(?:\.\d+)?)\s*(?:[°\u5ea6]\s*(?:(\d+(?:\.\d+)?)\s*['′\u5206]\s*)?(?:(\d+(?:\.\d+)?)\s*(?:["″\u79d2]|'')\s*)?)?\s*([NSEW\u4e1c\u897f\u5357\u5317])?/giu;
const NORTH = /[NS\u5357\u5317]/iu;
const MINUS = /[SW\u897f\u5357]/iu;
/** Above this a first number without a side is a longitude in China, where longitudes begin at 73. */
const LATITUDES_TO = 60;

interface Part {
  value: number;
  side: string;
}

/**
 * Coordinates out of a text as people copy it: "116.39,39.90", "39.9°N 116.39°E", "39°54'27\" N, 116°23'29\" E". Without
 * sides the first is the longitude, as Chinese maps write it, unless it can only be a latitude. Null when it is none.
 */
export function parsedCoordinates(text: string): LngLat | null {
  const parts: Part[] = [...text.trim().matchAll(PART)].map(([, before, degrees, minutes, seconds, after]) => {
    const side = before ?? after ?? '';
    const size = Math.abs(Number(degrees)) + Number(minutes ?? 0) / 60 + Number(seconds ?? 0) / 3600;
    return { value: degrees?.startsWith('-') === true || MINUS.test(side) ? -size : size, side };
  });
  const [first, second] = parts;
  if (first === undefined || second === undefined || parts.length !== 2) return null;
  const isSwapped =
    first.side === '' && second.side === ''
      ? isLatitudeFirst(first.value, second.value)
      : NORTH.test(first.side) || (second.side !== '' && !NORTH.test(second.side));
  const [longitude, latitude] = isSwapped ? [second.value, first.value] : [first.value, second.value];
  return isPlace(longitude, latitude) ? { longitude: rounded(longitude), latitude: rounded(latitude) } : null;
}

function isLatitudeFirst(first: number, second: number): boolean {
  return Math.abs(second) > 90 || (Math.abs(first) < LATITUDES_TO && Math.abs(second) > LATITUDES_TO);
}
