import type { ExpressionSpecification, LayerSpecification } from 'maplibre-gl';
import { GROUND } from './ground';
import type { MapColors } from './style';

type Drawn = 'area' | 'water' | 'building' | 'river' | 'road' | 'name';

/** Layers of the two schemes of vector tiles in use (Protomaps, OpenMapTiles), without borders: see features/map. */
const DRAWN: Readonly<Record<string, Drawn>> = {
  earth: 'area',
  landcover: 'area',
  landuse: 'area',
  park: 'area',
  water: 'water',
  waterway: 'river',
  buildings: 'building',
  building: 'building',
  roads: 'road',
  transportation: 'road',
  places: 'name',
  place: 'name',
};
const ORDER: readonly Drawn[] = ['area', 'water', 'river', 'building', 'road', 'name'];

/** How the layers of a file with vector tiles are drawn, in the map's own colours; what nobody knows is left out. */
export function vectorLayers(names: readonly string[], colors: MapColors, language: string): LayerSpecification[] {
  const known = names.flatMap((name) => (DRAWN[name] === undefined ? [] : [{ name, drawn: DRAWN[name] }]));
  return known
    .sort((a, b) => ORDER.indexOf(a.drawn) - ORDER.indexOf(b.drawn))
    .map(({ name, drawn }) => layerOf(name, drawn, colors, language));
}

function layerOf(name: string, drawn: Drawn, colors: MapColors, language: string): LayerSpecification {
  const base = { id: `${GROUND}-${name}`, source: GROUND, 'source-layer': name };
  const fill = (color: string, opacity = 1): LayerSpecification => ({
    ...base,
    type: 'fill',
    filter: ['==', ['geometry-type'], 'Polygon'],
    paint: { 'fill-color': color, 'fill-opacity': opacity },
  });
  const line = (color: string, width: ExpressionSpecification): LayerSpecification => ({
    ...base,
    type: 'line',
    paint: { 'line-color': color, 'line-width': width },
  });
  if (drawn === 'area') return fill(name === 'earth' ? colors.land : colors.grid, name === 'earth' ? 1 : 0.25);
  if (drawn === 'water') return fill(colors.sea);
  if (drawn === 'building') return fill(colors.coast, 0.5);
  if (drawn === 'river') return line(colors.sea, ['interpolate', ['linear'], ['zoom'], 6, 0.5, 14, 3]);
  if (drawn === 'road')
    return line(colors.coast, ['interpolate', ['exponential', 1.5], ['zoom'], 6, 0.4, 12, 1.2, 17, 7]);
  return {
    ...base,
    type: 'symbol',
    layout: {
      'text-field': ['coalesce', ['get', `name:${language}`], ['get', 'name']],
      'text-font': ['Noto Sans'],
      'text-size': 12,
      'text-max-width': 8,
    },
    paint: { 'text-color': colors.text, 'text-halo-color': colors.halo, 'text-halo-width': 1.4 },
  };
}
