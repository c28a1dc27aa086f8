import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError, isNotFound } from '@/api/errors';
import { onTrace, onTraceState } from '@/lib/live';
import { renewTrace, startTrace, stopTrace } from './api';
import { TraceBuffer } from './buffer';

/** Messages of a burst are drawn together. */
const DRAW_MS = 200;

/** idle: not begun. ended: why says how. The others are of the gateway, as the cloud says. */
export type TracePhase = 'idle' | 'starting' | 'waiting' | 'running' | 'silent' | 'offline' | 'not_supported' | 'ended';

export interface Trace {
  buffer: TraceBuffer;
  /** Another number when the buffer holds something else. */
  version: number;
  phase: TracePhase;
  /** How it ended. */
  why: string;
  /** Why it did not begin; null for no reason. */
  error: unknown;
  start: () => void;
  stop: () => void;
  clear: () => void;
}

interface Running {
  trace: string;
  renewMs: number;
}

interface Status {
  phase: TracePhase;
  why: string;
  error: unknown;
}

const IDLE: Status = { phase: 'idle', why: '', error: null };

/** A trace of one gateway while this page is looked at; what came stays in the page when it has ended. */
export function useTrace(deviceId: number): Trace {
  const [buffer] = useState(() => new TraceBuffer());
  const [version, setVersion] = useState(0);
  const [status, setStatus] = useState<Status>(IDLE);
  const [running, setRunning] = useState<Running | null>(null);
  const wanted = useRef(0);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const draw = (): void => {
      timer = null;
      setVersion((now) => now + 1);
    };
    const leave = onTrace((push) => {
      if (push.did !== deviceId || running === null) return;
      buffer.take(push);
      timer ??= setTimeout(draw, DRAW_MS);
    });
    return () => {
      leave();
      if (timer !== null) {
        clearTimeout(timer);
        setVersion((now) => now + 1);
      }
    };
  }, [buffer, deviceId, running]);

  const ended = useCallback((why: string): void => {
    setRunning(null);
    setStatus({ phase: 'ended', why, error: null });
  }, []);

  useEffect(() => {
    if (running === null) return undefined;
    const { trace, renewMs } = running;
    const leave = onTraceState((push) => {
      if (push.trace !== trace) return;
      if (push.why !== '') ended(push.why);
      else setStatus({ phase: push.state as TracePhase, why: '', error: null });
    });
    const timer = setInterval(() => {
      renewTrace(deviceId, trace).then(
        ({ state }) => setStatus((now) => (now.phase === 'ended' ? now : { phase: state, why: '', error: null })),
        (error: unknown) => {
          if (!(error instanceof ApiError)) return; // no connection: tried again
          const status = error.facts.status ?? 0;
          if (isNotFound(error)) ended('gone');
          else if (status >= 400 && status < 500) ended('access');
        },
      );
    }, renewMs);
    return () => {
      leave();
      clearInterval(timer);
    };
  }, [deviceId, running, ended]);

  const held = useRef<Running | null>(null);
  useEffect(() => {
    held.current = running;
  }, [running]);

  // Who leaves the page watches no longer.
  useEffect(
    () => () => {
      wanted.current += 1;
      const left = held.current;
      if (left === null) return;
      held.current = null;
      void stopTrace(deviceId, left.trace).catch(() => undefined); // ends by itself
      setRunning(null);
      setStatus({ phase: 'ended', why: 'left', error: null });
    },
    [deviceId],
  );

  const start = useCallback((): void => {
    wanted.current += 1;
    const mine = wanted.current;
    setStatus({ phase: 'starting', why: '', error: null });
    startTrace(deviceId).then(
      ({ trace, state, renew_s }) => {
        if (mine !== wanted.current) {
          void stopTrace(deviceId, trace).catch(() => undefined); // ends by itself
          return;
        }
        setRunning({ trace, renewMs: renew_s * 1000 });
        setStatus({ phase: state, why: '', error: null });
      },
      (error: unknown) => {
        if (mine === wanted.current) setStatus({ phase: 'idle', why: '', error });
      },
    );
  }, [deviceId]);

  const stop = useCallback((): void => {
    wanted.current += 1;
    if (running !== null) void stopTrace(deviceId, running.trace).catch(() => undefined); // ends by itself
    ended('done');
  }, [deviceId, running, ended]);

  const clear = useCallback((): void => {
    buffer.clear();
    setVersion((now) => now + 1);
  }, [buffer]);

  return { buffer, version, ...status, start, stop, clear };
}
