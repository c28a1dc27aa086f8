import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useBoard } from '@/blocks/live/useBoard';
import type { LiveBoard } from '@/blocks/live/board';
import { useSwitchWords } from '@/blocks/live/useWords';
import { onTick } from '@/components/useNow';
import { noteHeard, onDevice, watchDevice } from '@/lib/live';
import { countsAsOnline } from '@/lib/quality';
import type { KnownLink } from '@/lib/quality';
import type { MonitorPoints } from '@/api/generated/types.gen';
import { boardPoint, lastOf, newestOf } from '../monitorList';

const NOTHING: ReadonlyMap<number, boolean> = new Map();

/** Which gateways are connected: as the list told it, then as it is pushed. */
function useOnline(devices: MonitorPoints['devices']): (id: number) => boolean {
  const [pushed, setPushed] = useState<{ of: MonitorPoints['devices']; states: ReadonlyMap<number, boolean> }>({
    of: devices,
    states: NOTHING,
  });
  const ids = devices.map(({ id }) => id).join(',');
  useEffect(() => {
    const leave = ids === '' ? [] : ids.split(',').map((id) => watchDevice(Number(id)));
    return () => {
      for (const each of leave) each();
    };
  }, [ids]);
  useEffect(
    () =>
      onDevice(({ did, link }) => {
        const known = link as KnownLink | undefined;
        if (typeof known?.online !== 'boolean') return;
        const online = countsAsOnline(known);
        setPushed((known) => {
          // A new answer of the list is newer than what was pushed before it.
          const states = known.of === devices ? known.states : NOTHING;
          return states.get(did) === online ? known : { of: devices, states: new Map(states).set(did, online) };
        });
      }),
    [devices],
  );
  useEffect(() => {
    for (const { id, last_ms } of devices) noteHeard(id, last_ms ?? 0);
  }, [devices]);
  const onlineById = useMemo(() => new Map(devices.map(({ id, online }) => [id, online])), [devices]);
  const states = pushed.of === devices ? pushed.states : NOTHING;
  return useCallback((id) => states.get(id) ?? onlineById.get(id) ?? false, [states, onlineById]);
}

/** What came into view after the list's answer was not watched until then: its newest values are asked for, many at once. */
function useCatchUp(board: LiveBoard, data: MonitorPoints | undefined): void {
  const inView = useRef<ReadonlySet<number>>(new Set());
  useEffect(() => {
    inView.current = new Set(board.dsids);
  }, [board, data]);
  useEffect(() => {
    let isAsking = false;
    return onTick(() => {
      const now = board.dsids;
      const fresh = now.filter((dsid) => !inView.current.has(dsid));
      if (isAsking) return;
      inView.current = new Set(now);
      if (fresh.length === 0) return;
      isAsking = true;
      void newestOf(fresh)
        .then((last) => board.know(lastOf({ last } as MonitorPoints)))
        .catch(() => undefined) // the next answer of the list heals it, and its failure is told
        .finally(() => {
          isAsking = false;
        });
    });
  }, [board]);
}

const NONE: MonitorPoints['devices'] = [];

/** The board of the list monitor, filled with the list's answer. */
export function useMonitorBoard(data: MonitorPoints | undefined): LiveBoard {
  const words = useSwitchWords();
  const isOnline = useOnline(data?.devices ?? NONE);
  const reports = useMemo(
    () => new Map((data?.devices ?? NONE).map(({ id, report_interval_s }) => [id, report_interval_s * 1000])),
    [data],
  );
  const reportMs = useCallback((id: number) => reports.get(id) ?? 0, [reports]);
  const board = useBoard(isOnline, reportMs);
  useLayoutEffect(() => {
    if (data === undefined) return;
    board.set(
      data.points.map((point) => boardPoint(point, words)),
      lastOf(data),
    );
  }, [board, data, words]);
  useCatchUp(board, data);
  return board;
}
