import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';
import { bus, heardMs, isCutOff } from '@/lib/live';
import { followed, isChange } from '@/lib/live/changes';
import { brokenLimit, countsAsOnline, reportMsOf, trust } from '@/lib/quality';
import type { KnownLink, LastValue, LimitSide, PointValue, Trust } from '@/lib/quality';
import { serverNow } from '@/lib/serverClock';
import { onTick } from '@/components/useNow';

/** A changed value is marked this long; a switch of a class, never an animation. */
const HIGHLIGHT_MS = 600;

export interface LivePoint {
  dsid: number;
  period_ms: number;
  record: number;
  min: number | null;
  max: number | null;
}

export interface LiveCell {
  valueRef: RefObject<HTMLSpanElement | null>;
  ageRef: RefObject<HTMLSpanElement | null>;
  /** Changes seldom, therefore React state; value and age are written into the DOM. */
  trust: Trust;
  limit: LimitSide;
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
  age: (last: LastValue, now: number) => string;
}

/** Keeps two elements up to date with a point's live value and its age. */
export function useLiveValue(source: Source): LiveCell {
  const valueRef = useRef<HTMLSpanElement>(null);
  const ageRef = useRef<HTMLSpanElement>(null);
  const [told, setTold] = useState<{ trust: Trust; limit: LimitSide }>({ trust: 'none', limit: null });
  const current = useRef(source);
  useLayoutEffect(() => {
    current.current = source;
  });
  const { dsid } = source.point;

  useEffect(() => {
    let last = bus.get(dsid) ?? current.current.initial;
    let markedUntil = 0;
    const judge = (): void => {
      const { point, gateway, age } = current.current;
      const now = serverNow();
      const cut = isCutOff();
      const next = {
        trust: trust(last, point, now, {
          gatewayOnline: countsAsOnline(gateway.link),
          heardMs: Math.max(gateway.last_ms ?? 0, heardMs(gateway.id)),
          cut,
          reportMs: reportMsOf(gateway.link),
        }),
        limit: cut ? null : brokenLimit(last?.value ?? null, point.min, point.max),
      };
      setTold((known) => (known.trust === next.trust && known.limit === next.limit ? known : next));
      write(ageRef.current, last === undefined ? '' : age(last, now));
      if (markedUntil !== 0 && Date.now() >= markedUntil) {
        markedUntil = 0;
        valueRef.current?.removeAttribute('data-fresh');
      }
    };
    const show = (now: LastValue, told: LastValue | undefined): void => {
      const before = told ?? last;
      last = followed(before, now);
      write(valueRef.current, current.current.format(now.value));
      if (isChange(before, now)) {
        markedUntil = Date.now() + HIGHLIGHT_MS;
        valueRef.current?.setAttribute('data-fresh', '');
      }
      judge();
    };
    const leave = bus.watch(dsid, show);
    write(valueRef.current, current.current.format(last?.value ?? null));
    judge();
    const stopTick = onTick(judge);
    return () => {
      leave();
      stopTick();
    };
  }, [dsid]);

  const { initial, format } = source;
  useEffect(() => {
    if (initial !== undefined) bus.offer(dsid, initial);
    write(valueRef.current, format((bus.get(dsid) ?? initial)?.value ?? null));
  }, [dsid, initial, format]);

  return { valueRef, ageRef, ...told };
}

function write(element: HTMLElement | null, text: string): void {
  if (element !== null && element.textContent !== text) element.textContent = text;
}
