import { createContext, memo, useContext, useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import * as sdk from '@/api/generated/sdk.gen';
import { callBytes } from '@/api/http';
import { decodePacked } from '@/charts/packed';
import { isTrusted, lineGapMs, plotted } from '@/blocks/history/series';
import { usePerm } from '@/components/permission';
import { onTick } from '@/components/useNow';
import { bus } from '@/lib/live';
import { serverNow } from '@/lib/serverClock';
import type { DataSource } from '../api';
import classes from '../monitor.module.css';
import { drawSpark } from '../sparkDrawing';
import type { Looks } from '../sparkDrawing';
import { SparkBoard } from '../sparks';
import type { SparkSamples } from '../sparks';

interface Sparks {
  board: SparkBoard;
  looks: Map<Element, Looks>;
  seen: IntersectionObserver;
}

export const SparkContext = createContext<Sparks | null>(null);

async function ask(
  dsids: readonly number[],
  fromMs: number,
  toMs: number,
): Promise<ReadonlyMap<number, SparkSamples> | null> {
  const query = { dsids: dsids.join(','), start_ms: Math.floor(fromMs), end_ms: Math.floor(toMs) };
  try {
    const { points } = decodePacked(await callBytes(sdk.getSparklines({ query, parseAs: 'stream' })));
    return new Map(
      points.map(({ dsid, t, v }) => [
        dsid,
        { t: [...t], y: Array.from(v, (value) => (Number.isNaN(value) ? null : value)) },
      ]),
    );
  } catch {
    return null; // the line begins with what is pushed
  }
}

const nothing = (): Promise<null> => Promise.resolve(null);

/** Sparklines of one table. Who may not read history sees what comes while he looks. */
export function useSparks(): Sparks {
  const may = usePerm('HisData');
  const [sparks] = useState((): Sparks => {
    const looks = new Map<Element, Looks>();
    const board = new SparkBoard({
      now: serverNow,
      watch: (dsid, listener) => bus.watch(dsid, listener),
      ask: may ? ask : nothing,
      onTick,
      after: (ms, work) => {
        const timer = setTimeout(work, ms);
        return () => clearTimeout(timer);
      },
      draw: ({ element }, samples, fromMs, toMs) => {
        const look = looks.get(element);
        if (look !== undefined) drawSpark(element, samples, fromMs, toMs, look);
      },
    });
    const seen = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) board.seen(target, isIntersecting);
    });
    return { board, looks, seen };
  });
  return sparks;
}

/** The last ten minutes of a numeric point. */
export const Sparkline = memo(function Sparkline({ source }: { source: DataSource }): ReactElement {
  const canvas = useRef<HTMLCanvasElement>(null);
  const sparks = useContext(SparkContext);
  useEffect(() => {
    const element = canvas.current;
    if (element === null || sparks === null) return undefined;
    const { board, looks, seen } = sparks;
    looks.set(element, { color: source.line_color ?? null, stepped: source.record === 2, gapMs: lineGapMs(source) });
    const remove = board.add({
      dsid: source.dsid,
      element,
      plotted: ({ value, quality }) => (isTrusted(quality) ? plotted(value, source) : null),
    });
    seen.observe(element);
    return () => {
      seen.unobserve(element);
      remove();
      looks.delete(element);
    };
  }, [source, sparks]);
  return <canvas ref={canvas} className={classes.spark} aria-hidden data-testid={`spark-${source.ds_name}`} />;
});
