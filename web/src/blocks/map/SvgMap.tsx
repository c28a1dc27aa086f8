import { ActionIcon, Stack } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconMinus, IconPlus } from '@tabler/icons-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useGestures } from './gestures';
import { useQuery } from '@tanstack/react-query';
import { Credit } from './Credit';
import { land, landPath, linePath } from './land';
import classes from './map.module.css';
import {
  CLUSTER_TO_ZOOM,
  degreeText,
  fitted,
  gridLines,
  grouped,
  MAX_ZOOM,
  project,
  shortCount,
  START,
  STATUS_WORD,
  unproject,
  WORLD_PX,
} from './model';
import type { Bounds, Group, MapPosition } from './model';
import { bordersQuery } from './mapOptions';
import type { MapProps } from './types';

/** Side of the square on which the land is drawn once. */
const LAND_SIZE = 4096;
/** The world and the one on each side of it. */
const WORLDS = [-LAND_SIZE, 0, LAND_SIZE] as const;
const MIN_ZOOM = 0.5;
/** After the last movement. */
const REST_MS = 200;

/** The same map without WebGL: the land as one path, devices in groups of a grid; no tiles. */
export default function SvgMap(props: MapProps): ReactElement {
  const { places, selected, onSelect, start, onMoved, words, pin = null, onPick, goTo = null, covered } = props;
  const { ref, width, height } = useElementSize<HTMLDivElement>();
  const [path, setPath] = useState('');
  const [own, setOwn] = useState<MapPosition | null>(null);
  const [gone, setGone] = useState<MapPosition | null>(null);
  if (goTo !== gone) {
    setGone(goTo);
    if (goTo !== null) setOwn(goTo);
  }
  const { data: borders } = useQuery(bordersQuery);
  const borderPath = useMemo(() => (borders?.lines ?? []).map((line) => linePath(line, LAND_SIZE)).join(''), [borders]);
  const frame = useRef<HTMLElement | null>(null);
  const view = useMemo(
    () =>
      own ??
      start ??
      (width > 0 ? fitted(pin === null ? places : [pin], width, height, pin === null ? 12 : 6, covered) : START),
    [own, start, places, pin, width, height, covered],
  );
  const scale = WORLD_PX * 2 ** view.zoom;
  const [middleX, middleY] = project(view);
  const toPx = useCallback(
    (place: { longitude: number; latitude: number }): [number, number] => {
      const [x, y] = project(place);
      return [(x - middleX) * scale + width / 2, (y - middleY) * scale + height / 2];
    },
    [middleX, middleY, scale, width, height],
  );
  const groups = useMemo(() => (width > 0 ? grouped(places, view, width, height) : []), [places, view, width, height]);
  const bounds = useMemo(
    () => boundsOf(middleX, middleY, scale, width, height),
    [middleX, middleY, scale, width, height],
  );
  const grid = useMemo(() => gridLines(bounds), [bounds]);

  useEffect(() => {
    let isHere = true;
    land().then(
      (polygons) => isHere && setPath(landPath(polygons, LAND_SIZE)),
      () => undefined, // the grid of degrees alone still shows where things are
    );
    return () => {
      isHere = false;
    };
  }, []);
  const reported = useRef(onMoved);
  useEffect(() => {
    reported.current = onMoved;
  });
  useEffect(() => {
    if (width === 0) return undefined;
    const timer = setTimeout(() => reported.current(view, bounds), REST_MS);
    return () => clearTimeout(timer);
  }, [view, bounds, width]);
  const move = (dx: number, dy: number, zoomBy = 0, at: [number, number] = [width / 2, height / 2]): void => {
    const zoom = Math.max(MIN_ZOOM, Math.min(MAX_ZOOM, view.zoom + zoomBy));
    const grown = WORLD_PX * 2 ** zoom;
    // What is under the pointer stays there.
    const x = middleX + (at[0] - width / 2) * (1 / scale - 1 / grown) + dx / grown;
    const y = middleY + (at[1] - height / 2) * (1 / scale - 1 / grown) + dy / grown;
    setOwn({ ...unproject(Math.max(0, Math.min(1, x)), Math.max(0, Math.min(1, y))), zoom });
  };
  useGestures(frame, {
    onDrag: (dx, dy) => move(-dx, -dy),
    onZoom: (zoomBy, at) => move(0, 0, zoomBy, at),
    onClick: (x, y) => {
      if (onPick === undefined) onSelect(null);
      else onPick(unproject(middleX + (x - width / 2) / scale, middleY + (y - height / 2) / scale));
    },
  });
  const open = (group: Group): void => {
    if (group.only !== null) return onSelect(group.only.id);
    setOwn({
      longitude: group.longitude,
      latitude: group.latitude,
      zoom: Math.min(view.zoom + 2, CLUSTER_TO_ZOOM + 1),
    });
  };
  const marked = selected === null ? undefined : places.find(({ id }) => id === selected);
  return (
    <div
      ref={(host) => {
        ref(host);
        frame.current = host;
      }}
      className={classes.svg}
      role="region"
      aria-label={words.map}
      tabIndex={0}
      data-testid="map-svg"
      data-places={places.length}
      data-idle={path === '' ? undefined : ''}
    >
      <svg width={width} height={height} aria-hidden>
        <g
          transform={`translate(${width / 2 - middleX * scale} ${height / 2 - middleY * scale}) scale(${scale / LAND_SIZE})`}
        >
          {WORLDS.map((left) => (
            <path key={left} d={path} className={classes.land} transform={`translate(${left} 0)`} />
          ))}
          {/* Above all copies: the land of one reaches over another, where it goes on beyond the 180th meridian. */}
          {borderPath === ''
            ? null
            : WORLDS.map((left) => (
                <path key={left} d={borderPath} className={classes.border} transform={`translate(${left} 0)`} />
              ))}
        </g>
        <g className={classes.grid}>
          {grid.meridians.map((at) => {
            const [x] = toPx({ longitude: at, latitude: 0 });
            return (
              <Line
                key={`m${at}`}
                x1={x}
                y1={0}
                x2={x}
                y2={height}
                text={degreeText(at, 'longitude')}
                at={[x + 3, height - 6]}
              />
            );
          })}
          {grid.parallels.map((at) => {
            const [, y] = toPx({ longitude: 0, latitude: at });
            return (
              <Line key={`p${at}`} x1={0} y1={y} x2={width} y2={y} text={degreeText(at, 'latitude')} at={[4, y - 3]} />
            );
          })}
        </g>
        {marked === undefined ? null : <Ring at={toPx(marked)} />}
        {pin === null ? null : <Pin at={toPx(pin)} />}
      </svg>
      {groups.map((group) => {
        const [left, top] = toPx(group);
        const text = group.only?.title ?? words.group(group.count, group.worst);
        return (
          <button
            key={group.only === null ? `${group.count} ${group.longitude}` : `d${group.only.id}`}
            type="button"
            tabIndex={-1}
            className={group.only === null ? classes.group : classes.dot}
            data-status={STATUS_WORD[group.worst]}
            style={{ left, top }}
            onClick={() => open(group)}
            aria-label={text}
            title={text}
            data-testid={group.only === null ? 'map-group' : 'map-dot'}
          >
            {group.only === null ? shortCount(group.count) : group.worst === 2 ? '!' : ''}
          </button>
        );
      })}
      <Credit credit="" approval={borderPath === '' ? '' : (borders?.approval ?? '')} />
      <Stack gap={4} className={classes.buttons}>
        <ActionIcon
          variant="default"
          size={32}
          onClick={() => move(0, 0, 1)}
          aria-label={words.zoomIn}
          data-testid="map-zoom-in"
        >
          <IconPlus size={16} />
        </ActionIcon>
        <ActionIcon variant="default" size={32} onClick={() => move(0, 0, -1)} aria-label={words.zoomOut}>
          <IconMinus size={16} />
        </ActionIcon>
      </Stack>
    </div>
  );
}

function boundsOf(middleX: number, middleY: number, scale: number, width: number, height: number): Bounds {
  const [wide, high] = [width / 2 / scale, height / 2 / scale];
  const { longitude: west, latitude: north } = unproject(middleX - wide, Math.max(0, middleY - high));
  const { longitude: east, latitude: south } = unproject(middleX + wide, Math.min(1, middleY + high));
  return { west, south, east, north };
}

function Line({
  text,
  at,
  ...line
}: {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  text: string;
  at: [number, number];
}): ReactElement {
  return (
    <>
      <line {...line} />
      <text x={at[0]} y={at[1]}>
        {text}
      </text>
    </>
  );
}

function Ring({ at: [x, y] }: { at: [number, number] }): ReactElement {
  return <circle cx={x} cy={y} r={15} className={classes.marked} />;
}

function Pin({ at: [x, y] }: { at: [number, number] }): ReactElement {
  return <path d={`M${x} ${y}l-9 -16a10 10 0 1 1 18 0z`} className={classes.pin} data-testid="map-pin" />;
}
