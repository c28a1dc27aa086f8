import type { Bounds, Covered, LngLat, MapPosition, Place } from './model';

export interface MapWords {
  /** Spoken name of the map. */
  map: string;
  zoomIn: string;
  zoomOut: string;
  /** Of a group: '12 devices, worst: alarm'. */
  group: (count: number, worst: Place['status']) => string;
}

export interface MapProps {
  places: readonly Place[];
  /** Id of the place that is marked. */
  selected: number | null;
  onSelect: (id: number | null) => void;
  /** Where the map is at first; without one it shows every place. */
  start: MapPosition | null;
  /** What stands over the map: at first every place is seen beside it. The same object each time. */
  covered?: Covered;
  /** Told when the map has come to rest, and once at the start. */
  onMoved: (position: MapPosition, bounds: Bounds) => void;
  words: MapWords;
  /** A position that is being chosen; with onPick a click on the map chooses another. */
  pin?: LngLat | null;
  onPick?: (place: LngLat) => void;
  /** Go there; each new object is a new request. */
  goTo?: MapPosition | null;
}
