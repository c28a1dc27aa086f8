import { useEffect, useState } from 'react';
import { serverNow } from '@/lib/serverClock';

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;
const TICK_MS = 500;

/** Called on a beat shared by all: ages, countdowns and highlights cost one timer. Returns the function that ends it. */
export function onTick(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

/** This browser's time, renewed at most every stepMs. */
export function useNow(stepMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(
    () => onTick(() => setNow((known) => (Date.now() - known >= stepMs - TICK_MS / 2 ? Date.now() : known))),
    [stepMs],
  );
  return now;
}

/** The cloud's time, renewed at most every stepMs: for ages of values. */
export function useServerNow(stepMs: number): number {
  useNow(stepMs);
  return serverNow();
}
