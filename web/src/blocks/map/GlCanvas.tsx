import 'maplibre-gl/dist/maplibre-gl.css';
import { useComputedColorScheme } from '@mantine/core';
import type { MultiPolygon } from 'geojson';
import { Map as GlEngine, Marker, NavigationControl, ScaleControl, setWorkerUrl } from 'maplibre-gl';
import type { GeoJSONSource, MapMouseEvent } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ReactElement, RefObject } from 'react';
import { land } from './land';
import classes from './map.module.css';
import { CLUSTER_TO_ZOOM, fitted, MAX_ZOOM } from './model';
import type { Bounds, MapPosition } from './model';
import type { Lines } from './display';
import { GROUND, GROUND_WAIT_MS, GroundWatch } from './ground';
import type { Ground } from './ground';
import {
  BORDERS,
  borderFeature,
  CLUSTER_LAYER,
  colorsOf,
  DEVICES,
  GRID,
  gridFeatures,
  MARKED,
  markedFeature,
  PLACE_LAYER,
  placeFeatures,
  styleOf,
} from './style';
import type { MapProps } from './types';
import type { GroundOf } from './useGround';

setWorkerUrl(workerUrl);

/** Around a click or a touch, what is still meant by it. */
const REACH_PX = 6;

interface Props extends MapProps {
  /** The graphics have failed: something simpler is to be drawn. */
  onBroken: () => void;
  /** Tiles below the devices. A new one is a new map. */
  groundOf: GroundOf;
  borders: Lines;
  /** Told when tiles no longer come, and when they do again; the land is below them all the time. */
  onGround: (works: boolean) => void;
}

/** The map on WebGL. Everything that it draws comes from the page itself, except the tiles of a ground. */
export default function GlCanvas(props: Props): ReactElement {
  const { places, selected, pin = null, goTo = null, groundOf, borders } = props;
  const frame = useRef<HTMLDivElement>(null);
  const marker = useRef<Marker | null>(null);
  const displayed = useRef<MapPosition | null>(null);
  // Shown again after it was hidden, a map stays where it is.
  const went = useRef<MapPosition | null>(null);
  const [ready, setReady] = useState<GlEngine | null>(null);
  const scheme = useComputedColorScheme('light');
  const now = useRef(props);
  useLayoutEffect(() => {
    now.current = props;
  });

  useEffect(() => {
    const host = frame.current;
    if (host === null) return undefined;
    let ground: Ground;
    let made: GlEngine;
    try {
      ground = now.current.groundOf(colorsOf(host));
      made = begin(host, now.current, displayed.current, ground);
    } catch {
      now.current.onBroken();
      return undefined;
    }
    // Not 'load', which waits for every tile of a service that may never answer.
    made.on('style.load', () => setReady(made));
    const leaveGround = watchGround(made, ground, now);
    made.on('click', (event) => void clicked(made, event, now.current));
    made.on('mousemove', (event) => {
      made.getCanvas().style.cursor =
        now.current.onPick !== undefined ? 'crosshair' : under(made, event).length > 0 ? 'pointer' : '';
    });
    const moved = (): void => {
      const position = positionOf(made);
      const bounds = boundsOf(made);
      displayed.current = position;
      (made.getSource(GRID) as GeoJSONSource | undefined)?.setData(gridFeatures(bounds, host.clientHeight));
      now.current.onMoved(position, bounds);
    };
    made.on('moveend', moved);
    made.on('style.load', moved);
    made.on('idle', () => host.setAttribute('data-idle', String(Math.round(performance.now()))));
    void land().catch(() => undefined); // asked for early, drawn below
    return () => {
      marker.current = null;
      setReady(null);
      leaveGround();
      made.remove();
    };
  }, [scheme, groundOf]);

  useEffect(() => {
    let isHere = true;
    land().then(
      (loadedLand) => {
        if (isHere && ready !== null) setLand(ready, loadedLand);
      },
      () => undefined, // the sea and the grid still show where things are
    );
    return () => {
      isHere = false;
    };
  }, [ready]);

  useEffect(() => {
    (ready?.getSource(DEVICES) as GeoJSONSource | undefined)?.setData(placeFeatures(places));
  }, [ready, places]);

  useEffect(() => {
    (ready?.getSource(BORDERS) as GeoJSONSource | undefined)?.setData(borderFeature(borders));
  }, [ready, borders]);

  useEffect(() => {
    const place = selected === null ? null : (places.find(({ id }) => id === selected) ?? null);
    (ready?.getSource(MARKED) as GeoJSONSource | undefined)?.setData(markedFeature(place));
  }, [ready, places, selected]);

  useEffect(() => {
    if (ready === null) return;
    if (pin === null) {
      marker.current?.remove();
      marker.current = null;
    } else if (marker.current === null) {
      const one = new Marker({ draggable: now.current.onPick !== undefined, color: '#2f77b3' });
      one.on('dragend', () => {
        const { lng, lat } = one.getLngLat().wrap();
        now.current.onPick?.({ longitude: lng, latitude: lat });
      });
      marker.current = one.setLngLat([pin.longitude, pin.latitude]).addTo(ready);
    } else {
      marker.current.setLngLat([pin.longitude, pin.latitude]);
    }
  }, [ready, pin]);

  useEffect(() => {
    if (ready === null || goTo === null || went.current === goTo) return;
    went.current = goTo;
    ready.easeTo({ center: [goTo.longitude, goTo.latitude], zoom: goTo.zoom });
  }, [ready, goTo]);

  return <div ref={frame} className={classes.gl} data-testid="map-gl" data-places={places.length} />;
}

/** Failures are told to the page, not to the console: their text has the address with its key. */
function watchGround(made: GlEngine, { isEverywhere }: Ground, now: RefObject<Props>): () => void {
  const watch = new GroundWatch((works) => now.current.onGround(works));
  now.current.onGround(true);
  made.on('error', (event) => {
    if (isGround((event as { sourceId?: string }).sourceId)) watch.missed();
  });
  made.on('sourcedata', (event) => {
    if (isGround(event.sourceId) && event.tile?.state === 'loaded') watch.came();
  });
  const timer = isEverywhere ? setTimeout(() => watch.waited(), GROUND_WAIT_MS) : undefined;
  return () => clearTimeout(timer);
}

const isGround = (source: string | undefined): boolean => source?.startsWith(GROUND) ?? false;

function begin(
  host: HTMLElement,
  { places, start, pin, words, covered }: Props,
  displayed: MapPosition | null,
  ground: Ground,
): GlEngine {
  const around = pin === null || pin === undefined ? places : [pin];
  const at = displayed ?? start ?? fitted(around, host.clientWidth, host.clientHeight, pin ? 6 : 12, covered);
  const made = new GlEngine({
    container: host,
    style: styleOf(null, places, colorsOf(host), ground),
    center: [at.longitude, at.latitude],
    zoom: at.zoom,
    maxZoom: MAX_ZOOM,
    minZoom: 0.5,
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    fadeDuration: 0,
    locale: {
      'Map.Title': words.map,
      'NavigationControl.ZoomIn': words.zoomIn,
      'NavigationControl.ZoomOut': words.zoomOut,
    },
  });
  made.touchZoomRotate.disableRotation();
  made.keyboard.disableRotation();
  made.addControl(new NavigationControl({ showCompass: false }), 'top-right');
  made.addControl(new ScaleControl({ maxWidth: 100, unit: 'metric' }), 'bottom-left');
  return made;
}

function setLand(made: GlEngine, polygons: MultiPolygon): void {
  (made.getSource('land') as GeoJSONSource | undefined)?.setData({
    type: 'Feature',
    properties: {},
    geometry: polygons,
  });
}

function positionOf(made: GlEngine): MapPosition {
  const { lng, lat } = made.getCenter();
  return { longitude: lng, latitude: lat, zoom: made.getZoom() };
}

function boundsOf(made: GlEngine): Bounds {
  const bounds = made.getBounds();
  return { west: bounds.getWest(), south: bounds.getSouth(), east: bounds.getEast(), north: bounds.getNorth() };
}

function under(made: GlEngine, { point }: MapMouseEvent) {
  const box: [[number, number], [number, number]] = [
    [point.x - REACH_PX, point.y - REACH_PX],
    [point.x + REACH_PX, point.y + REACH_PX],
  ];
  return made.getLayer(PLACE_LAYER) === undefined
    ? []
    : made.queryRenderedFeatures(box, { layers: [PLACE_LAYER, CLUSTER_LAYER] });
}

async function clicked(made: GlEngine, event: MapMouseEvent, { onPick, onSelect }: Props): Promise<void> {
  if (onPick !== undefined) {
    const { lng, lat } = event.lngLat.wrap();
    onPick({ longitude: lng, latitude: lat });
    return;
  }
  const feature = under(made, event);
  const [hit] = feature;
  if (hit === undefined) return onSelect(null);
  if (hit.properties.cluster !== true) return onSelect(Number(hit.properties.id));
  const [longitude = 0, latitude = 0] = hit.geometry.type === 'Point' ? hit.geometry.coordinates : [];
  const source = made.getSource(DEVICES) as GeoJSONSource;
  const zoom = await source.getClusterExpansionZoom(Number(hit.properties.cluster_id)).catch(() => made.getZoom() + 2);
  made.easeTo({
    center: [longitude, latitude],
    zoom: Math.min(Math.max(zoom, made.getZoom() + 1), CLUSTER_TO_ZOOM + 1),
  });
}
