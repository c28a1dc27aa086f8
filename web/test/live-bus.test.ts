import { expect, test } from 'vitest';
import { LiveBus } from '@/lib/live/bus';
import type { LastValue } from '@/lib/quality';

const sample = (t_ms: number, value: number, quality = 0): LastValue => ({ t_ms, value, quality });

function makeBus() {
  const frames: (() => void)[] = [];
  const watched: [number, boolean][] = [];
  const bus = new LiveBus(
    (flush) => frames.push(flush),
    (dsid, on) => watched.push([dsid, on]),
  );
  return { bus, frames, watched };
}

test('many values within a frame reach a listener once, with the newest and the last shown', () => {
  const { bus, frames } = makeBus();
  const seen: [unknown, unknown][] = [];
  bus.watch(7, (now, before) => seen.push([now.value, before?.value]));
  bus.put(7, sample(1, 10));
  frames.shift()?.();
  for (let t = 2; t <= 50; t++) bus.put(7, sample(t, t));
  expect(frames).toHaveLength(1);
  frames.shift()?.();
  expect(seen).toEqual([
    [10, undefined],
    [50, 10],
  ]);
});

test('a value whose time is in doubt gives way to an older one', () => {
  const { bus } = makeBus();
  bus.watch(7, () => undefined);
  bus.put(7, sample(540_000, 99, 8));
  bus.put(7, sample(100, 2));
  bus.put(7, sample(99, 3));
  expect(bus.get(7)?.value).toBe(2);
});

test('an older value never replaces a newer one', () => {
  const { bus, frames } = makeBus();
  bus.watch(7, () => undefined);
  bus.put(7, sample(100, 1));
  bus.put(7, sample(99, 2));
  expect(bus.get(7)?.value).toBe(1);
  expect(frames).toHaveLength(1);
});

test('an answer of the API counts once: drawn again it does not undo what was pushed with the same time', () => {
  const { bus } = makeBus();
  const leave = bus.watch(7, () => undefined);
  const answer = sample(100, 1.169);
  bus.offer(7, answer);
  bus.put(7, { t_ms: 100, value: null, quality: 5 });
  bus.offer(7, answer);
  expect(bus.get(7)?.value).toBeNull();
  bus.offer(7, sample(100, 1.169));
  expect(bus.get(7)?.value).toBe(1.169);
  leave();
  bus.watch(7, () => undefined);
  bus.offer(7, answer);
  expect(bus.get(7)?.value).toBe(1.169);
});

test('subscriptions are counted: the first watcher subscribes, the last one unsubscribes and the value is forgotten', () => {
  const { bus, watched } = makeBus();
  const leaveA = bus.watch(7, () => undefined);
  const leaveB = bus.watch(7, () => undefined);
  bus.put(7, sample(1, 1));
  leaveA();
  leaveA();
  expect(watched).toEqual([[7, true]]);
  leaveB();
  expect(watched).toEqual([
    [7, true],
    [7, false],
  ]);
  expect(bus.get(7)).toBeUndefined();
});

test('what nobody watches is dropped and counted', () => {
  const { bus, frames } = makeBus();
  bus.put(1, sample(1, 1));
  expect([bus.get(1), bus.unwatched, frames.length]).toEqual([undefined, 1, 0]);
});

test('a late watcher is told the known value at once', () => {
  const { bus } = makeBus();
  bus.watch(7, () => undefined);
  bus.put(7, sample(1, 5));
  const seen: unknown[] = [];
  bus.watch(7, (now) => seen.push(now.value));
  expect(seen).toEqual([5]);
});
