import { expect, test } from 'vitest';
import { vectorLayers } from '@/blocks/map/archiveStyle';
import { boundsFrom, linesIn, placesIn, pointFrom, pointIn } from '@/blocks/map/display';
import { BUILTIN, GROUND, GroundWatch, MAX_FAILED, serviceGround } from '@/blocks/map/ground';
import { BORDERS, borderFeature, styleOf } from '@/blocks/map/style';
import type { MapColors } from '@/blocks/map/style';
import { arrived, followed, idOf, wrote } from '@/features/map/mapTab';
import { bordersOf, MAX_VERTICES } from '@/features/platform/borders';
import { draftOf, isTileUrl, originsOf, PRESETS } from '@/features/platform/mapBase';
import { listed } from '@/blocks/devices/ProjectSelect';

const COLORS = new Proxy({}, { get: (_target, name) => `#${String(name)}` }) as MapColors;
const BEIJING = { longitude: 116.397428, latitude: 39.90923 };
const SERVICE = {
  kind: 'xyz',
  url: 'https://tiles.example/{key}/{z}/{x}/{y}.png',
  key: 'k 1',
  datum: 'GCJ02',
  max_zoom: 15,
  credit: 'X',
} as const;

test('without a ground the map has sources of the page alone', () => {
  const style = styleOf(null, [], COLORS, BUILTIN);
  expect(Object.values(style.sources).map(({ type }) => type)).toEqual([
    'geojson',
    'geojson',
    'geojson',
    'geojson',
    'geojson',
  ]);
  expect(JSON.stringify(style)).not.toContain('http');
  expect(style.layers.map(({ id }) => id)).toContain('grid');
});

test('tiles of a service lie above the land and below borders and devices, with the key in its place', () => {
  const ground = serviceGround({ ...SERVICE, label_url: 'https://labels.example/{z}/{x}/{y}' }, false);
  const style = styleOf(null, [], COLORS, ground);
  expect(style.sources[GROUND]).toEqual({
    type: 'raster',
    tiles: ['https://tiles.example/k%201/{z}/{x}/{y}.png'],
    tileSize: 256,
    maxzoom: 15,
  });
  const ids = style.layers.map(({ id }) => id);
  expect(ids.slice(0, 6)).toEqual(['sea', 'land', 'coast', GROUND, `${GROUND}-labels`, BORDERS]);
  expect(ids).not.toContain('grid');
  expect(serviceGround(SERVICE, true).layers[0]?.paint).toMatchObject({ 'raster-brightness-max': 0.62 });
});

test('a map file with vector tiles is drawn in an order of its own and never with borders', () => {
  const layers = vectorLayers(['places', 'boundaries', 'roads', 'earth', 'boundary', 'pois', 'water'], COLORS, 'zh');
  expect(layers.map(({ id }) => id)).toEqual(['earth', 'water', 'roads', 'places'].map((name) => `${GROUND}-${name}`));
});

test('markers lie where the tiles show their place, and what is picked there comes back', () => {
  const place = { id: 1, status: 1, title: 'A', ...BEIJING } as const;
  const places = [place];
  expect(placesIn(places, 'WGS84')).toBe(places);
  const [shown] = placesIn(places, 'GCJ02');
  expect(shown).toMatchObject({ id: 1, title: 'A' });
  expect((shown?.longitude ?? 0) - BEIJING.longitude).toBeCloseTo(0.00624, 4);
  expect((shown?.latitude ?? 0) - BEIJING.latitude).toBeCloseTo(0.0014, 4);
  for (const datum of ['GCJ02', 'BD09'] as const) {
    const there = pointIn({ ...BEIJING, zoom: 9 }, datum);
    expect(there.longitude).not.toBeCloseTo(BEIJING.longitude, 3);
    const back = pointFrom(there, datum);
    expect(back.longitude).toBeCloseTo(BEIJING.longitude, 5);
    expect(back.latitude).toBeCloseTo(BEIJING.latitude, 5);
    expect(back.zoom).toBe(9);
    const [[from] = []] = linesIn(
      [
        [
          [BEIJING.longitude, BEIJING.latitude],
          [10, 50],
        ],
      ],
      datum,
    );
    expect(from).toEqual([there.longitude, there.latitude]);
  }
  const abroad = { longitude: 10, latitude: 50 };
  expect(pointIn(abroad, 'GCJ02')).toEqual(abroad);
  const seen = boundsFrom({ west: 116, south: 39, east: 117, north: 40 }, 'GCJ02');
  expect([seen.west, seen.south, seen.east, seen.north].map((one) => one.toFixed(1))).toEqual([
    '116.0',
    '39.0',
    '117.0',
    '40.0',
  ]);
});

test('a ground is lost when several tiles in a row fail, and there again with the next one', () => {
  const told: boolean[] = [];
  const watch = new GroundWatch((works) => told.push(works));
  for (let count = 1; count < MAX_FAILED; count += 1) watch.missed();
  watch.came();
  for (let count = 1; count < MAX_FAILED; count += 1) watch.missed();
  expect(told).toEqual([]);
  watch.missed();
  watch.missed();
  watch.came();
  watch.came();
  expect(told).toEqual([false, true]);
  watch.waited();
  expect(told).toEqual([false, true]);
});

test('a ground that has not answered for long is lost until its first tile', () => {
  const told: boolean[] = [];
  const watch = new GroundWatch((works) => told.push(works));
  watch.waited();
  watch.came();
  expect(told).toEqual([false, true]);
});

const area = (coordinates: unknown) =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: [{ type: 'Feature', geometry: { type: 'Polygon', coordinates } }],
  });

test('borders are the lines and edges of a GeoJSON, rounded', () => {
  expect(
    bordersOf(
      area([
        [
          [100.1234567, 30],
          [100.1234568, 30],
          [101, 31],
          [100.1234567, 30],
        ],
      ]),
    ),
  ).toEqual({
    lines: [
      [
        [100.12346, 30],
        [101, 31],
        [100.12346, 30],
      ],
    ],
    vertices: 3,
  });
  const mixed = {
    type: 'GeometryCollection',
    geometries: [
      {
        type: 'MultiLineString',
        coordinates: [
          [
            [0, 0],
            [1, 1],
          ],
        ],
      },
      {
        type: 'MultiPolygon',
        coordinates: [
          [
            [
              [0, 0],
              [1, 0],
              [0, 0],
            ],
          ],
        ],
      },
      { type: 'Point', coordinates: [5, 5] },
    ],
  };
  expect(bordersOf(JSON.stringify(mixed))).toMatchObject({ vertices: 5 });
  expect(
    borderFeature([
      [
        [0, 0],
        [1, 1],
      ],
    ]).geometry.coordinates,
  ).toEqual([
    [
      [0, 0],
      [1, 1],
    ],
  ]);
});

test.each([
  ['{', 'json'],
  ['{"type":"Topology"}', 'none'],
  [JSON.stringify({ type: 'LineString', coordinates: 'x' }), 'none'],
  [
    area([
      [
        [13_000_000, 4_000_000],
        [13_000_001, 4_000_000],
      ],
    ]),
    'degrees',
  ],
  [
    area([
      [
        ['a', 1],
        ['b', 2],
      ],
    ]),
    'degrees',
  ],
  [area([Array.from({ length: MAX_VERTICES + 1 }, (_, index) => [index / 1000, 0])]), 'many'],
] as const)('%.40s are none: %s', (text, fault) => {
  expect(bordersOf(text)).toMatchObject({ fault });
});

test('an address of tiles has three places, and a page must be opened anew for another host', () => {
  expect(isTileUrl('https://a.example:8443/{z}/{x}/{y}')).toBe(true);
  for (const text of ['', '/{z}/{x}/{y}', 'https://a.example/{z}/{x}', 'https://{s}.example/{z}/{x}/{y}'])
    expect(isTileUrl(text)).toBe(false);
  for (const preset of Object.values(PRESETS)) expect(isTileUrl(preset.url) && isTileUrl(preset.label_url)).toBe(true);
  expect(originsOf(draftOf({ ...SERVICE, label_url: 'http://b.example:81/{z}' }))).toBe(
    'https://tiles.example http://b.example:81',
  );
  expect(originsOf(draftOf({ ...SERVICE, kind: 'builtin' }))).toBe('');
});

test('the map follows links, not what it has written into the address itself', () => {
  let state = followed('100,30,4');
  expect(arrived(state, '100,30,4')).toBeNull();
  for (const at of ['101,30,4', '102,30,4', '103,30,4']) state = wrote(state, at);
  // The address lags behind: each of its steps is the map's own.
  for (const at of ['101,30,4', '103,30,4']) {
    const came = arrived(state, at);
    expect(came?.goTo).toBeNull();
    state = came?.next ?? state;
  }
  expect(state).toEqual(followed('103,30,4'));
  const linked = arrived(state, '110,35,8');
  expect(linked?.goTo).toEqual({ longitude: 110, latitude: 35, zoom: 8 });
  state = linked?.next ?? state;
  expect(arrived(state, '110,35,8')).toBeNull();
  // Back to where the map had been long ago is a link too; text that is no position leads nowhere.
  state = wrote(state, '111,35,8');
  state = arrived(state, '111,35,8')?.next ?? state;
  expect(arrived(state, '103,30,4')?.goTo).toEqual({ longitude: 103, latitude: 30, zoom: 4 });
  expect(arrived(state, 'nowhere')?.goTo).toBeNull();
  expect(arrived(state, undefined)?.goTo).toBeNull();
});

test('what a map has written stays bounded', () => {
  let state = followed(undefined);
  for (let step = 0; step < 100; step += 1) state = wrote(state, `${step},0,1`);
  expect(state.written.length).toBe(20);
});

test('an id of an address is a number from one on', () => {
  expect(['7', '0', '-1', '1e3', 'x', '', undefined].map(idOf)).toEqual([7, null, null, null, null, null, null]);
});

test('projects to choose from stand below their groups', () => {
  const nodes = [
    { id: '1', label: 'North', children: [{ id: '2', label: 'Plant' }] },
    { id: '3', label: 'South' },
  ];
  expect(listed(nodes)).toEqual([
    { value: '1', label: 'North' },
    { value: '2', label: '\u2003Plant' },
    { value: '3', label: 'South' },
  ]);
});
