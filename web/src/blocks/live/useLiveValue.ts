import { useCallback, useEffect, useLayoutEffect, useState } from 'react';
import type { RefCallback } from 'react';
import { bus, noteHeard } from '@/lib/live';
import { countsAsOnline, reportMsOf } from '@/lib/quality';
import type { KnownLink, LastValue, PointValue } from '@/lib/quality';
import type { LiveBoard, Part, LiveStatus } from './board';
import { useBoard } from './useBoard';

export interface LivePoint {
  dsid: number;
  period_ms: number;
  record: number;
  min: number | null;
  max: number | null;
}

/** Elements that are written past React, and what changes seldom, as state. */
export interface LiveCell extends LiveStatus {
  valueRef: RefCallback<HTMLElement>;
  ageRef: RefCallback<HTMLElement>;
}

/** The gateway of a point, as the cloud told it. */
export interface LiveGateway {
  id: number;
  last_ms?: number | null;
  link: KnownLink;
}

interface Source {
  point: LivePoint;
  initial: LastValue | undefined;
  gateway: LiveGateway;
  format: (value: PointValue) => string;
}

const NOTHING: LiveStatus = { trust: 'none', limit: null };

/** One point's live value and age, for a component that draws its own row: a board of one point. */
export function useLiveValue({ point, initial, gateway, format }: Source): LiveCell {
  const { id, last_ms, link } = gateway;
  const { dsid } = point;
  const isOnline = countsAsOnline(link);
  const reportMs = reportMsOf(link);
  const board = useBoard(
    useCallback(() => isOnline, [isOnline]),
    useCallback(() => reportMs, [reportMs]),
  );
  const [status, setStatus] = useState<LiveStatus>(NOTHING);
  useLayoutEffect(() => noteHeard(id, last_ms ?? 0), [id, last_ms]);
  useLayoutEffect(() => {
    board.set([{ ...point, device_id: id, format }], []);
  }, [board, point, id, format]);
  useEffect(
    () =>
      board.follow(dsid, (next) =>
        setStatus((known) => (known.trust === next.trust && known.limit === next.limit ? known : next)),
      ),
    [board, dsid],
  );
  useLayoutEffect(() => {
    if (initial === undefined) return;
    // What the bus holds was pushed since, unless it takes the answer for newer.
    if (bus.get(dsid) === undefined) board.know([{ ...initial, dsid }]);
    bus.offer(dsid, initial);
  }, [board, dsid, initial]);
  const valueRef = useDisplay(board, dsid, 'value');
  const ageRef = useDisplay(board, dsid, 'age');
  return { valueRef, ageRef, ...status };
}

function useDisplay(board: LiveBoard, dsid: number, part: Part): RefCallback<HTMLElement> {
  return useCallback(
    (element: HTMLElement | null) => (element === null ? undefined : board.show(dsid, part, element, false)),
    [board, dsid, part],
  );
}
