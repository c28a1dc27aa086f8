import { expect, test } from 'vitest';
import { HIGHLIGHT_MS, LiveBoard } from '@/blocks/live/board';
import type { BoardPoint, BoardWords, Part } from '@/blocks/live/board';
import type { LastValue } from '@/lib/quality';

/** An element as a board uses it: it counts what is written. */
class Place {
  readonly attributes = new Map<string, string>();
  readonly style = { backgroundPositionX: '' };
  writes = 0;
  #data = '';

  get data(): string {
    return this.#data;
  }

  set data(text: string) {
    this.#data = text;
    this.writes += 1;
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }

  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }
}

const POINT: BoardPoint = {
  dsid: 1,
  device_id: 7,
  period_ms: 1000,
  record: 1,
  min: 0,
  max: 200,
  format: (value) => (value === null ? '–' : String(value)),
};
const WORDS = {
  trust: (state: string) => `is ${state}`,
  age: (last: LastValue, now: number) => `${(now - last.t_ms) / 1000} s`,
} as unknown as BoardWords;

class World {
  now = 10_000;
  cut = false;
  heard = 0;
  tick: () => void = () => undefined;
  due: { at: number; work: () => void }[] = [];
  listener: ((now: LastValue, before: LastValue | undefined) => void) | null = null;
  readonly board = new LiveBoard(WORDS, {
    watch: (_dsid, listener) => {
      this.listener = listener;
      return () => {
        this.listener = null;
      };
    },
    now: () => this.now,
    isCut: () => this.cut,
    heardMs: () => this.heard,
    onTick: (work) => {
      this.tick = work;
      return () => {
        this.tick = () => undefined;
      };
    },
    after: (ms, work) => {
      const one = { at: this.now + ms, work };
      this.due.push(one);
      return () => void (this.due = this.due.filter((each) => each !== one));
    },
    textOf: (element) => element as unknown as Place,
  });

  show(part: Part): { place: Place; end: () => void } {
    const place = new Place();
    return { place, end: this.board.show(1, part, place as unknown as HTMLElement) };
  }

  push(value: number, t_ms = this.now, quality = 0): void {
    this.listener?.({ t_ms, value, quality }, undefined);
  }

  pass(ms: number): void {
    this.now += ms;
    const [due, later] = [this.due.filter(({ at }) => at <= this.now), this.due.filter(({ at }) => at > this.now)];
    this.due = later;
    for (const { work } of due) work();
    this.tick();
  }
}

test('what was known, what is pushed, how old it is and whether it is believed', () => {
  const world = new World();
  world.board.set([POINT], [{ dsid: 1, t_ms: 9000, value: 5, quality: 0 }]);
  const [value, age, trust, limit] = (['value', 'age', 'trust', 'limit'] as const).map(
    (part) => world.show(part).place,
  );
  expect([value?.data, age?.data, trust?.data, limit?.style.backgroundPositionX]).toEqual([
    '5',
    '1 s',
    'is good',
    '3%',
  ]);
  world.push(250);
  expect([value?.data, age?.data, value?.attributes.get('data-limit'), limit?.style.backgroundPositionX]).toEqual([
    '250',
    '0 s',
    'high',
    '100%',
  ]);
  world.push(100, 8000);
  expect(value?.data).toBe('250');
  world.pass(9000);
  expect([trust?.data, value?.attributes.get('data-tone')]).toEqual(['is stale', 'warn']);
  world.board.setOnline(() => false);
  expect(trust?.data).toBe('is gatewayOffline');
  world.cut = true;
  world.pass(500);
  expect([trust?.data, limit?.style.backgroundPositionX]).toEqual(['is cut', '']);
});

test('a value that is sent on change is believed while its gateway speaks', () => {
  const world = new World();
  world.board.set([{ ...POINT, record: 2 }], [{ dsid: 1, t_ms: 9000, value: 5, quality: 0 }]);
  const trust = world.show('trust').place;
  world.pass(37_000);
  expect(trust.data).toBe('is good');
  world.pass(1001);
  expect(trust.data).toBe('is stale');
  world.heard = world.now;
  world.pass(1000);
  expect(trust.data).toBe('is good');
});

test('nothing is written that already stands there', () => {
  const world = new World();
  world.board.set([POINT], []);
  const { place } = world.show('value');
  const { place: trust } = world.show('trust');
  for (let at = 0; at < 5; at++) world.push(7, world.now + at);
  world.pass(500);
  expect([place.writes, trust.writes]).toEqual([2, 2]);
});

test('a change is marked for a while, by one timer', () => {
  const world = new World();
  world.board.set([POINT], [{ dsid: 1, t_ms: 9000, value: 5, quality: 0 }]);
  const { place } = world.show('value');
  world.push(6);
  world.pass(300);
  world.push(7);
  expect(world.due.length).toBe(1);
  world.pass(HIGHLIGHT_MS - 300);
  expect(place.attributes.has('data-fresh')).toBe(true);
  world.pass(300);
  expect([place.attributes.has('data-fresh'), world.due.length]).toEqual([false, 0]);
});

test('watched while it is in the page; its value is kept for when it comes back', () => {
  const world = new World();
  world.board.set([POINT], []);
  const first = world.show('value');
  const second = world.show('age');
  world.push(6);
  first.end();
  expect(world.listener).not.toBeNull();
  second.end();
  expect([world.listener, world.board.dsids]).toEqual([null, []]);
  const again = world.show('value');
  expect(again.place.data).toBe('6');
  world.board.know([
    { dsid: 1, t_ms: world.now + 1, value: 8, quality: 0 },
    { dsid: 1, t_ms: 1, value: 9, quality: 0 },
  ]);
  expect(again.place.data).toBe('8');
});

test('rows may be drawn before their points are told', () => {
  const world = new World();
  const { place } = world.show('value');
  const gone = world.show('value');
  gone.end();
  world.board.set([POINT], [{ dsid: 1, t_ms: 9000, value: 5, quality: 0 }]);
  expect([place.data, gone.place.data]).toEqual(['5', '']);
});

test('a value whose time is in doubt gives way to an older one, asked for or pushed', () => {
  const world = new World();
  const { place } = world.show('value');
  world.board.set([POINT], [{ dsid: 1, t_ms: 540_000, value: 99, quality: 8 }]);
  expect(place.data).toBe('99');
  world.push(3);
  expect(place.data).toBe('3');
  world.push(2, world.now - 1);
  expect(place.data).toBe('3');
  world.push(98, 540_000, 8);
  world.board.know([{ dsid: 1, t_ms: 11_000, value: 4, quality: 0 }]);
  expect(place.data).toBe('4');
});
