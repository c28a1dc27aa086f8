import type { Feature, FeatureCollection, LineString, MultiLineString, MultiPolygon, Point } from 'geojson';
import type { ExpressionSpecification, LayerSpecification, StyleSpecification } from 'maplibre-gl';
import type { Lines } from './display';
import type { Ground } from './ground';
import { badness, CLUSTER_PX, CLUSTER_TO_ZOOM, degreeText, gridLines, project, unproject } from './model';
import type { Bounds, LngLat, Place } from './model';

/** Colours of the page's scheme. */
export interface MapColors {
  sea: string;
  land: string;
  coast: string;
  grid: string;
  border: string;
  text: string;
  halo: string;
  online: string;
  offline: string;
  alarm: string;
  partly: string;
  marked: string;
}

const NAMES = [
  'sea',
  'land',
  'coast',
  'grid',
  'border',
  'text',
  'halo',
  'online',
  'offline',
  'alarm',
  'partly',
  'marked',
] as const;

export function colorsOf(element: Element): MapColors {
  const style = getComputedStyle(element);
  return Object.fromEntries(
    NAMES.map((name) => [name, style.getPropertyValue(`--map-${name}`).trim()]),
  ) as unknown as MapColors;
}

/** Drawn by the browser's own fonts: with no glyphs named, nothing is asked for. */
const FONT = ['Noto Sans'];

/** Badness of what is drawn as an alarm, as away, and as a gateway that is there without some or all of its slaves. */
const ALARM = badness(2);
const AWAY = [badness(0), badness(3)];
const SILENT = badness(5);
const PARTLY = [badness(4), SILENT];

export const DEVICES = 'devices';
export const GRID = 'grid';
export const BORDERS = 'borders';
export const MARKED = 'marked';
export const PLACE_LAYER = 'places';
export const CLUSTER_LAYER = 'clusters';

export function placeFeatures(places: readonly Place[]): FeatureCollection<Point> {
  return {
    type: 'FeatureCollection',
    features: places.map(({ id, longitude, latitude, status, title }) => ({
      type: 'Feature',
      id,
      geometry: { type: 'Point', coordinates: [longitude, latitude] },
      properties: { id, b: badness(status), title },
    })),
  };
}

export function markedFeature(place: LngLat | null): FeatureCollection<Point> {
  const features: Feature<Point>[] =
    place === null
      ? []
      : [
          {
            type: 'Feature',
            properties: {},
            geometry: { type: 'Point', coordinates: [place.longitude, place.latitude] },
          },
        ];
  return { type: 'FeatureCollection', features };
}

export function borderFeature(lines: Lines): Feature<MultiLineString> {
  return {
    type: 'Feature',
    properties: {},
    geometry: { type: 'MultiLineString', coordinates: lines.map((line) => line.map(([x, y]) => [x, y])) },
  };
}

/** The lowest part of a map, where its scale stands: lines are drawn there, but not named. */
const SCALE_PX = 36;

/** Lines of a map of this height, and once more, with a text, the parts of them where they may be named. */
export function gridFeatures(bounds: Bounds, heightPx: number): FeatureCollection<LineString> {
  const { meridians, parallels } = gridLines(bounds);
  const [south, north] = [Math.max(-85, bounds.south), Math.min(85, bounds.north)];
  const [bottom, top] = [south, north].map((latitude) => project({ longitude: 0, latitude })[1]) as [number, number];
  const named = unproject(0, bottom + (top - bottom) * Math.min(1, SCALE_PX / Math.max(1, heightPx))).latitude;
  const line = (coordinates: number[][], text?: string): Feature<LineString> => ({
    type: 'Feature',
    properties: text === undefined ? {} : { text },
    geometry: { type: 'LineString', coordinates },
  });
  return {
    type: 'FeatureCollection',
    features: [
      ...meridians.flatMap((at) => [
        line([
          [at, south],
          [at, north],
        ]),
        line(
          [
            [at, named],
            [at, north],
          ],
          degreeText(at, 'longitude'),
        ),
      ]),
      ...parallels.flatMap((at) => {
        const whole = [
          [bounds.west, at],
          [bounds.east, at],
        ];
        return at < named ? [line(whole)] : [line(whole), line(whole, degreeText(at, 'latitude'))];
      }),
    ],
  };
}

/** Land and sea, above them the ground; without one a grid of degrees, which over tiles of another datum would lie beside. */
export function styleOf(
  land: MultiPolygon | null,
  places: readonly Place[],
  colors: MapColors,
  ground: Ground,
): StyleSpecification {
  const empty: FeatureCollection = { type: 'FeatureCollection', features: [] };
  const devices = {
    type: 'geojson' as const,
    data: placeFeatures(places),
    cluster: true,
    clusterRadius: CLUSTER_PX,
    clusterMaxZoom: CLUSTER_TO_ZOOM,
    clusterProperties: { b: ['max', ['get', 'b']] },
  };
  return {
    version: 8,
    sources: {
      land: {
        type: 'geojson',
        data: land === null ? empty : { type: 'Feature', properties: {}, geometry: land },
        maxzoom: 6,
        tolerance: 0.5,
      },
      ...ground.sources,
      [GRID]: { type: 'geojson', data: empty },
      [BORDERS]: { type: 'geojson', data: empty, maxzoom: 10 },
      [MARKED]: { type: 'geojson', data: empty },
      [DEVICES]: devices,
    },
    layers: layersOf(colors, ground.layers),
  };
}

function gridLayers(colors: MapColors): LayerSpecification[] {
  return [
    {
      id: 'grid',
      type: 'line',
      source: GRID,
      filter: ['!', ['has', 'text']],
      paint: { 'line-color': colors.grid, 'line-width': 0.6 },
    },
    {
      id: 'degrees',
      type: 'symbol',
      source: GRID,
      filter: ['has', 'text'],
      layout: {
        'symbol-placement': 'line',
        'symbol-spacing': 700,
        'text-field': ['get', 'text'],
        'text-font': FONT,
        'text-size': 10,
      },
      paint: { 'text-color': colors.text, 'text-opacity': 0.75, 'text-halo-color': colors.halo, 'text-halo-width': 1 },
    },
  ];
}

function layersOf(colors: MapColors, ground: readonly LayerSpecification[]): LayerSpecification[] {
  const byState: ExpressionSpecification = [
    'match',
    ['get', 'b'],
    ALARM,
    colors.alarm,
    AWAY,
    colors.offline,
    PARTLY,
    colors.partly,
    colors.online,
  ];
  const isGroup: ExpressionSpecification = ['has', 'point_count'];
  return [
    { id: 'sea', type: 'background', paint: { 'background-color': colors.sea } },
    { id: 'land', type: 'fill', source: 'land', paint: { 'fill-color': colors.land } },
    { id: 'coast', type: 'line', source: 'land', paint: { 'line-color': colors.coast, 'line-width': 0.8 } },
    ...(ground.length > 0 ? ground : gridLayers(colors)),
    { id: BORDERS, type: 'line', source: BORDERS, paint: { 'line-color': colors.border, 'line-width': 1.2 } },
    {
      id: 'marked',
      type: 'circle',
      source: MARKED,
      paint: {
        'circle-radius': 15,
        'circle-color': 'rgba(0,0,0,0)',
        'circle-stroke-color': colors.marked,
        'circle-stroke-width': 3,
      },
    },
    {
      id: CLUSTER_LAYER,
      type: 'circle',
      source: DEVICES,
      filter: isGroup,
      paint: {
        'circle-color': byState,
        'circle-radius': ['step', ['get', 'point_count'], 14, 10, 16, 100, 19, 1000, 23],
        'circle-stroke-color': colors.halo,
        'circle-stroke-width': 2,
      },
    },
    {
      id: 'counts',
      type: 'symbol',
      source: DEVICES,
      filter: isGroup,
      layout: {
        'text-field': ['get', 'point_count_abbreviated'],
        'text-font': FONT,
        'text-size': 12,
        'text-allow-overlap': true,
      },
      paint: { 'text-color': '#ffffff' },
    },
    {
      id: PLACE_LAYER,
      type: 'circle',
      source: DEVICES,
      filter: ['!', isGroup],
      // Offline and no answer are rings, alarm is larger: colour is not all that tells them apart.
      paint: {
        'circle-color': ['match', ['get', 'b'], [...AWAY, SILENT], colors.halo, byState],
        'circle-radius': ['match', ['get', 'b'], ALARM, 8, 6],
        'circle-stroke-color': ['match', ['get', 'b'], AWAY, colors.offline, SILENT, colors.partly, colors.halo],
        'circle-stroke-width': ['match', ['get', 'b'], [...AWAY, SILENT], 3, 2],
      },
    },
    {
      id: 'alarms',
      type: 'symbol',
      source: DEVICES,
      filter: ['all', ['!', isGroup], ['==', ['get', 'b'], ALARM]],
      layout: { 'text-field': '!', 'text-font': FONT, 'text-size': 12, 'text-allow-overlap': true },
      paint: { 'text-color': '#ffffff' },
    },
    {
      id: 'titles',
      type: 'symbol',
      source: DEVICES,
      filter: ['!', isGroup],
      minzoom: 7,
      layout: {
        'text-field': ['get', 'title'],
        'text-font': FONT,
        'text-size': 12,
        'text-anchor': 'top',
        'text-offset': [0, 1.1],
        'text-max-width': 12,
        'text-optional': true,
      },
      paint: { 'text-color': colors.text, 'text-halo-color': colors.halo, 'text-halo-width': 1.4 },
    },
  ];
}
