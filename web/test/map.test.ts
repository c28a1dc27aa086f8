import { expect, test } from 'vitest';
import { converted, figuresOf, parsedCoordinates, typedAs } from '@/blocks/map/datum';
import { landPath, unwound } from '@/blocks/map/land';
import {
  boundsOf,
  degreeText,
  fitted,
  gridLines,
  grouped,
  isWithin,
  positionOf,
  positionText,
  project,
  shortCount,
  START,
  unproject,
  WORLD_PX,
} from '@/blocks/map/model';
import type { Place, PlaceStatus } from '@/blocks/map/model';
import { gridFeatures } from '@/blocks/map/style';
import { placesOf } from '@/features/map/api';
import type { DataSource } from '@/features/map/api';
import { pointsOnMap } from '@/features/map/cardPoints';
import { countsOf, inView } from '@/features/map/inView';
import en from '@/features/map/locales/en.json';

const place = (id: number, longitude: number, latitude: number, status: PlaceStatus = 1, title = `D${id}`): Place => ({
  id,
  longitude,
  latitude,
  status,
  title,
});

test('a device without a place says so in the words of the specification', () => {
  expect(en.noLocation).toBe('This device has no location data');
});

test.each([
  ['116.397428, 39.90923', 116.397428, 39.90923],
  ['39.90923,116.397428', 116.397428, 39.90923],
  ['39.90923°N 116.397428°E', 116.397428, 39.90923],
  ['E116.397428 N39.90923', 116.397428, 39.90923],
  ['39°54\'33.228"N, 116°23\'50.7408"E', 116.397428, 39.90923],
  ['\u4e1c116\u00b023\u203250.7408\u2033 \u531739\u00b054\u203233.228\u2033', 116.397428, 39.90923],
  ['-0.1276 51.5072', -0.1276, 51.5072],
  ['33.8688 S 151.2093 E', 151.2093, -33.8688],
  ['70.5W 33.4S', -70.5, -33.4],
])('%s are coordinates', (text, longitude, latitude) => {
  const found = parsedCoordinates(text);
  expect(found?.longitude).toBeCloseTo(longitude, 5);
  expect(found?.latitude).toBeCloseTo(latitude, 5);
});

test.each(['', '116.39', 'east of the river', '1,2,3', '200, 95', '116.39,'])('%j are none', (text) => {
  expect(parsedCoordinates(text)).toBeNull();
});

test.each([
  ['GCJ02', 116.3911868, 39.9078288],
  ['BD09', 116.3848017, 39.9015235],
] as const)('%s comes into WGS-84 as in the cloud, and back', (datum, longitude, latitude) => {
  const given = { longitude: 116.397428, latitude: 39.90923 };
  const found = converted(given, datum, 'WGS84');
  expect(found.longitude).toBeCloseTo(longitude, 5);
  expect(found.latitude).toBeCloseTo(latitude, 5);
  const back = converted(found, 'WGS84', datum);
  expect(back.longitude).toBeCloseTo(given.longitude, 5);
  expect(back.latitude).toBeCloseTo(given.latitude, 5);
});

test('figures of another datum stay as they are typed until the place or the datum is another', () => {
  const keys = ['1', '11', '116', '116.', '116.4', '116.40', '116.404'];
  let typed = typedAs({ latitude: 39.915 }, 'BD09');
  expect(typed.result).toEqual({ longitude: Number.NaN, latitude: 39.915 });
  expect(figuresOf({ longitude: Number.NaN, latitude: 39.915 }, 'BD09', null)).toEqual({ latitude: 39.915 });
  for (const key of keys) {
    typed = typedAs({ ...figuresOf(typed.result, 'BD09', typed), longitude: key }, 'BD09');
    expect(figuresOf(typed.result && { ...typed.result }, 'BD09', typed)).toEqual({ longitude: key, latitude: 39.915 });
  }
  expect(typed.result).toEqual(converted({ longitude: 116.404, latitude: 39.915 }, 'BD09', 'WGS84'));
  expect(figuresOf(typed.result, 'WGS84', typed)).toEqual(typed.result);
  expect(figuresOf({ longitude: 1, latitude: 2 }, 'WGS84', typed)).toEqual({ longitude: 1, latitude: 2 });
  expect([
    figuresOf(null, 'BD09', typed),
    typedAs({ longitude: 181, latitude: 1 }, 'GCJ02').result,
    typedAs({ longitude: '' }, 'WGS84').result,
  ]).toEqual([{}, { longitude: 181, latitude: 1 }, null]);
});

test('the projection and back', () => {
  expect(project({ longitude: 0, latitude: 0 })).toEqual([0.5, 0.5]);
  const [x, y] = project({ longitude: 121.5, latitude: 31.2 });
  expect(unproject(x, y).longitude).toBeCloseTo(121.5, 9);
  expect(unproject(x, y).latitude).toBeCloseTo(31.2, 9);
});

test('a frame holds all places that it is fitted to, and begins in eastern Asia without any', () => {
  const places = [place(1, 87, 43), place(2, 121, 31), place(3, 114, 22)];
  const view = fitted(places, 800, 500);
  const groups = grouped(places, view, 800, 500);
  expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(3);
  expect(fitted([], 800, 500)).toBe(START);
  expect(fitted([place(1, 10, 10)], 800, 500).zoom).toBe(12);
  expect(boundsOf(places)).toEqual({ west: 87, south: 22, east: 121, north: 43 });
});

test('a frame holds its places beside what stands over it, unless that leaves too little', () => {
  const places = [place(1, 87, 43), place(2, 121, 31), place(3, 114, 22)];
  const view = fitted(places, 1000, 600, 12, { top: 90, right: 390 });
  const scale = WORLD_PX * 2 ** view.zoom;
  const [middleX, middleY] = project(view);
  for (const each of places) {
    const [x, y] = project(each);
    const [left, top] = [(x - middleX) * scale + 500, (y - middleY) * scale + 300];
    expect(left > 0 && left < 610 && top > 90 && top < 600).toBe(true);
  }
  expect(fitted(places, 360, 400, 12, { top: 90, right: 390 })).toEqual(fitted(places, 360, 400));
});

test('a group has the worst state of its members: alarm before offline before partly offline before online', () => {
  const near = [place(1, 10, 10, 1), place(2, 10.001, 10, 0), place(3, 10, 10.001, 2), place(4, 10, 10, 1)];
  const view = { longitude: 10, latitude: 10, zoom: 4 };
  const worst = (places: Place[]): PlaceStatus[] => grouped(places, view, 400, 400).map((group) => group.worst);
  expect(worst(near)).toEqual([2]);
  expect(worst(near.filter(({ status }) => status !== 2))).toEqual([0]);
  expect(worst([place(1, 10, 10, 1), place(2, 10.001, 10, 4), place(3, 10, 10.001, 5)])).toEqual([5]);
  expect(grouped(near, { ...view, zoom: 17 }, 4000, 4000).every(({ only }) => only !== null)).toBe(true);
  expect(grouped([place(1, 100, 10)], { ...view, zoom: 8 }, 400, 400)).toEqual([]);
});

test('groups do not lie over each other, wherever the cells of the grid are', () => {
  const view = { longitude: 0, latitude: 0, zoom: 3 };
  const places = Array.from({ length: 400 }, (_, index) =>
    place(index, (index % 20) * 1.7 - 17, Math.floor(index / 20) * 1.7 - 17),
  );
  const scale = 512 * 2 ** view.zoom;
  const at = grouped(places, view, 800, 800).map(
    (group) => project(group).map((one) => one * scale) as [number, number],
  );
  expect(at.length).toBeGreaterThan(4);
  const apart = at.flatMap(([x, y], index) => at.slice(index + 1).map(([left, top]) => Math.hypot(x - left, y - top)));
  expect(Math.min(...apart)).toBeGreaterThan(20);
});

test('a view over the 180th meridian holds both of its sides', () => {
  const bounds = { west: 170, south: -20, east: 190, north: 20 };
  expect([175, -175, 160, -165].map((longitude) => isWithin(bounds, { longitude, latitude: 0 }))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(isWithin(bounds, { longitude: 175, latitude: 30 })).toBe(false);
  expect(isWithin({ west: -400, south: -85, east: 400, north: 85 }, { longitude: 12, latitude: 1 })).toBe(true);
});

test('the list has what is in view, the worst first, then by title', () => {
  const places = [
    place(1, 1, 1, 1, 'B 10'),
    place(2, 1, 1, 1, 'B 9'),
    place(3, 1, 1, 0, 'Z'),
    place(4, 1, 1, 2, 'Y'),
    place(5, 99, 1, 2),
  ];
  const bounds = { west: 0, south: 0, east: 2, north: 2 };
  expect(inView(places, bounds, 'en').map(({ id }) => id)).toEqual([4, 3, 2, 1]);
  expect(inView(places, null, 'en')).toHaveLength(5);
  expect(countsOf(places)).toEqual({ 0: 1, 1: 2, 2: 2, 3: 0, 4: 0, 5: 0 });
  const news = [place(8, 105, 35, 3), place(9, 105, 35, 1), place(10, 105, 35, 0)];
  expect(inView(news, null, 'en').map(({ id }) => id)).toEqual([10, 9, 8]);
  expect(countsOf(news)).toEqual({ 0: 1, 1: 1, 2: 0, 3: 1, 4: 0, 5: 0 });
});

test('the columns of the cloud are places', () => {
  const columns = {
    id: [7, 9],
    lng: [1, 2],
    lat: [3, 4],
    status: '20',
    title: ['a', 'b'],
    total: 2,
    placeless: 5,
    server_ms: 1,
  };
  expect(placesOf(columns)).toEqual({
    places: [place(7, 1, 3, 2, 'a'), place(9, 2, 4, 0, 'b')],
    total: 2,
    placeless: 5,
  });
});

test('lines of the grid are round, few and named', () => {
  const { meridians, parallels } = gridLines({ west: 73.2, south: 18, east: 134, north: 53 });
  expect(meridians).toEqual([80, 90, 100, 110, 120, 130]);
  expect(parallels).toEqual([20, 30, 40, 50]);
  expect([
    degreeText(120, 'longitude'),
    degreeText(-30.5, 'latitude'),
    degreeText(190, 'longitude'),
    degreeText(0, 'latitude'),
  ]).toEqual(['120°E', '30.5°S', '170°W', '0°']);
});

test('no line of the grid is named where the scale stands', () => {
  const bounds = { west: 112.88, south: 28.1, east: 113.12, north: 28.3 };
  const { features } = gridFeatures(bounds, 360); // 36 px: a tenth, 0.02 degrees
  const named = features.filter(({ properties }) => properties?.text !== undefined);
  const lowest = named.map(({ geometry }) =>
    Math.min(...geometry.coordinates.map(([, latitude]) => latitude as number)),
  );
  expect(Math.min(...lowest)).toBeCloseTo(28.12, 3);
  expect(features.filter(({ geometry }) => geometry.coordinates[0]?.[1] === 28.1).length).toBeGreaterThan(0);
  expect(named.map(({ properties }) => properties?.text)).toEqual(expect.arrayContaining(['112.95°E', '28.2°N']));
});

test('a part in view goes into an address and comes back; what is none is none', () => {
  const position = { longitude: 121.4737, latitude: 31.2304, zoom: 8.25 };
  expect(positionOf(positionText(position))).toEqual(position);
  expect(['', '1,2', '1,2,x', '1,95,3', '1,2,99', '1,2,3,4', undefined].map(positionOf)).toEqual(Array(7).fill(null));
});

test('counts fit into a circle', () => {
  expect([9, 999, 1000, 1234, 10_832].map(shortCount)).toEqual(['9', '999', '1.0k', '1.2k', '11k']);
});

test('a ring over the 180th meridian goes on beyond it, one around a pole is closed there', () => {
  const island = [
    [179, 1],
    [-179, 1],
    [-179, 2],
    [179, 2],
    [179, 1],
  ];
  expect(unwound(island)).toEqual([
    [179, 1],
    [181, 1],
    [181, 2],
    [179, 2],
    [179, 1],
  ]);
  const around = [
    [-90, -70],
    [0, -70],
    [90, -70],
    [180, -70],
    [-90, -70],
  ];
  expect(unwound(around).slice(-4)).toEqual([
    [270, -70],
    [270, -90],
    [-90, -90],
    [-90, -70],
  ]);
  const plain = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 0],
  ];
  expect(unwound(plain)).toEqual(plain);
});

test('land is one path of closed rings', () => {
  const square = [
    [0, 0],
    [10, 0],
    [10, 10],
    [0, 0],
  ];
  expect(landPath({ type: 'MultiPolygon', coordinates: [[square], [square]] }, 360)).toMatch(
    /^(M180\.00 180\.00L190\.00 180\.00L[^Z]*Z){2}$/,
  );
});

test('the card of a device shows the points chosen for it, else the first that can be read', () => {
  const point = (dsid: number, more: object = {}) => ({ dsid, rw: 'readonly', gis_show: false, ...more }) as DataSource;
  const many = [point(1, { rw: 'writeonly', gis_show: true }), ...[2, 3, 4, 5, 6, 7, 8, 9].map((dsid) => point(dsid))];
  expect(pointsOnMap(many).map(({ dsid }) => dsid)).toEqual([2, 3, 4, 5, 6, 7]);
  expect(
    pointsOnMap([...many, point(10, { gis_show: true }), point(11, { gis_show: true })]).map(({ dsid }) => dsid),
  ).toEqual([10, 11]);
});
