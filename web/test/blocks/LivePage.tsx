import { useLayoutEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { BoardContext, LivePart, useBoard } from '@/blocks/live/useBoard';
import { bus } from '@/lib/live';
import { formatNumber } from '@/lib/numbers';

const POINTS = 500;
const ALL = Array.from({ length: POINTS }, (_, at) => at + 1);
const online = (): boolean => true;

/** 500 live values side by side, with all their parts; pushed as the live connection pushes them. */
export function LivePage(): ReactElement {
  const board = useBoard(online);
  const [now] = useState(() => Date.now());
  useLayoutEffect(() => {
    const point = {
      device_id: 1,
      period_ms: 1000,
      record: 1,
      min: 0,
      max: 1000,
      format: (value: unknown) => formatNumber(Number(value), 2),
    };
    board.set(
      ALL.map((dsid) => ({ ...point, dsid })),
      ALL.map((dsid) => ({ dsid, t_ms: now, value: dsid, quality: 0 })),
    );
    window.pushAll = () => {
      const t_ms = Date.now();
      const text = JSON.stringify({ rows: ALL.map((dsid) => [dsid, t_ms, Math.random() * 1000, 0]) });
      const { rows } = JSON.parse(text) as { rows: [number, number, number, number][] };
      for (const [dsid, at, value, quality] of rows) bus.put(dsid, { t_ms: at, value, quality });
    };
  }, [board, now]);
  return (
    <BoardContext value={board}>
      <h1>Live</h1>
      <div style={{ display: 'grid', gridTemplateColumns: 'repeat(20, 1fr)', gap: 2 }} data-testid="values">
        {ALL.map((dsid) => (
          <div key={dsid} style={{ height: 76, overflow: 'hidden', contain: 'strict', fontSize: 11 }}>
            <LivePart dsid={dsid} part="value" />
            <LivePart dsid={dsid} part="limit" />
            <LivePart dsid={dsid} part="trust" />
            <LivePart dsid={dsid} part="age" />
          </div>
        ))}
      </div>
    </BoardContext>
  );
}

declare global {
  interface Window {
    /** A new value of every point. */
    pushAll?: () => void;
  }
}
