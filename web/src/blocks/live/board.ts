import { followed, isChange } from '@/lib/live/changes';
import { brokenLimit, stays, toneOf, trust } from '@/lib/quality';
import type { Contact, LastValue, LimitSide, PointValue, Trust } from '@/lib/quality';

/** A changed value is marked this long: a switch of an attribute, never an animation. */
export const HIGHLIGHT_MS = 600;

export interface BoardPoint {
  dsid: number;
  device_id: number;
  period_ms: number;
  record: number;
  min: number | null;
  max: number | null;
  format: (value: PointValue) => string;
}

/** Where of a point something is shown. limit: the place of the value between its limits. */
export type Part = 'value' | 'age' | 'trust' | 'limit';

export interface BoardWords {
  trust: (state: Trust) => string;
  age: (last: LastValue, now: number, record: number) => string;
}

export interface Surroundings {
  watch: (dsid: number, listener: (now: LastValue, before: LastValue | undefined) => void) => () => void;
  now: () => number;
  isCut: () => boolean;
  /** When a gateway was heard last. */
  heardMs: (deviceId: number) => number;
  onTick: (listener: () => void) => () => void;
  after: (ms: number, work: () => void) => () => void;
  /** The one text of an element. */
  textOf: (element: HTMLElement) => { data: string };
}

/** What of a point a component draws itself: it changes seldom. */
export interface LiveStatus {
  trust: Trust;
  limit: LimitSide;
}

interface Display {
  part: Part;
  element: HTMLElement;
  text: { data: string };
  /** What stands there: nothing is read from the page. */
  written: string;
  /** Are trust and limit marked at the element too? */
  marked: boolean;
}

interface Line {
  point: BoardPoint;
  last: LastValue | undefined;
  trust: Trust | null;
  limit: string | null;
  displays: Display[];
  followers: Set<(status: LiveStatus) => void>;
  leave: () => void;
}

/**
 * Many live values. They are written as texts into the page: no drawing by React, one timer for all ages and one for the
 * marks, and nothing is read from the page. A point is watched while one of its parts is in the page.
 */
export class LiveBoard {
  readonly #around: Surroundings;
  readonly #points = new Map<number, BoardPoint>();
  readonly #known = new Map<number, LastValue>();
  readonly #lines = new Map<number, Line>();
  /** Parts of points that are not told yet: a page may draw its rows before it fills its board. */
  #waiting: { dsid: number; display: Display }[] = [];
  #fresh: { element: HTMLElement; untilMs: number }[] = [];
  #stopMarks: (() => void) | null = null;
  #stopTick: (() => void) | null = null;
  #words: BoardWords;
  #isOnline: (deviceId: number) => boolean = () => true;
  #reportMs: (deviceId: number) => number = () => 0;

  constructor(words: BoardWords, around: Surroundings) {
    this.#words = words;
    this.#around = around;
  }

  /** The points there are, and what they held last. A newer known value stays. */
  set(points: Iterable<BoardPoint>, last: Iterable<LastValue & { dsid: number }>): void {
    this.#points.clear();
    for (const point of points) this.#points.set(point.dsid, point);
    for (const dsid of this.#known.keys()) if (!this.#points.has(dsid)) this.#known.delete(dsid);
    for (const line of this.#lines.values()) {
      line.point = this.#points.get(line.point.dsid) ?? line.point;
      this.#writeValue(line);
    }
    this.know(last);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { dsid, display } of waiting) this.#add(dsid, display);
  }

  /** Values that were asked for. */
  know(last: Iterable<LastValue & { dsid: number }>): void {
    for (const { dsid, ...next } of last) {
      const { t_ms, value, quality } = next;
      const line = this.#lines.get(dsid);
      const known = line?.last ?? this.#known.get(dsid);
      // What the cloud has cleared has the same time as before and no value.
      if (
        known !== undefined &&
        (stays(known, next) || (known.t_ms === t_ms && known.value === value && known.quality === quality))
      )
        continue;
      this.#known.set(dsid, followed(known, next));
      if (line !== undefined) this.#take(line, next, false);
    }
    this.evaluate();
  }

  /** Which gateways are connected or asleep, and their report intervals, by their numbers. */
  setOnline(isOnline: (deviceId: number) => boolean, reportMs: (deviceId: number) => number = () => 0): void {
    this.#isOnline = isOnline;
    this.#reportMs = reportMs;
    this.evaluate();
  }

  setWords(words: BoardWords): void {
    this.#words = words;
    for (const line of this.#lines.values()) {
      line.trust = null;
      line.point = this.#points.get(line.point.dsid) ?? line.point;
      this.#writeValue(line);
    }
    this.evaluate();
  }

  /** Show a part of a point in an element; marked: with its trust and limit as attributes. Returns the function that ends it. */
  show(dsid: number, part: Part, element: HTMLElement, marked = true): () => void {
    const display: Display = { part, element, text: this.#around.textOf(element), written: '', marked };
    this.#add(dsid, display);
    return () => {
      this.#waiting = this.#waiting.filter((each) => each.display !== display);
      const line = this.#lines.get(dsid);
      if (line === undefined) return;
      line.displays = line.displays.filter((each) => each !== display);
      this.#closeUnused(line);
    };
  }

  /** Tell trust and limit of a point that the board was told of, now and at each change. Returns the function that ends it. */
  follow(dsid: number, listener: (status: LiveStatus) => void): () => void {
    const line = this.#lines.get(dsid) ?? this.#open(dsid);
    if (line === null) throw new RangeError(`board: no point ${dsid}`);
    line.followers.add(listener);
    line.trust = null;
    this.#judge(line, this.#around.now(), this.#around.isCut());
    return () => {
      line.followers.delete(listener);
      this.#closeUnused(line);
    };
  }

  #add(dsid: number, display: Display): void {
    const line = this.#lines.get(dsid) ?? this.#open(dsid);
    if (line === null) {
      this.#waiting.push({ dsid, display });
      return;
    }
    line.displays.push(display);
    line.trust = null;
    line.limit = null;
    this.#writeValue(line);
    this.#judge(line, this.#around.now(), this.#around.isCut());
  }

  /** Points in the page. */
  get dsids(): number[] {
    return [...this.#lines.keys()];
  }

  /** Ages, and what of the values can still be believed. */
  evaluate(): void {
    const [now, cut] = [this.#around.now(), this.#around.isCut()];
    for (const line of this.#lines.values()) this.#judge(line, now, cut);
  }

  #open(dsid: number): Line | null {
    const point = this.#points.get(dsid);
    if (point === undefined) return null;
    const line: Line = {
      point,
      last: this.#known.get(dsid),
      trust: null,
      limit: null,
      displays: [],
      followers: new Set(),
      leave: () => undefined,
    };
    this.#lines.set(dsid, line);
    this.#stopTick ??= this.#around.onTick(() => this.evaluate());
    line.leave = this.#around.watch(dsid, (now, before) => {
      if (line.last !== undefined && stays(line.last, now)) return;
      line.last ??= before;
      this.#take(line, now, true);
      this.#judge(line, this.#around.now(), this.#around.isCut());
    });
    return line;
  }

  #closeUnused(line: Line): void {
    if (line.displays.length > 0 || line.followers.size > 0 || this.#lines.get(line.point.dsid) !== line) return;
    line.leave();
    if (line.last !== undefined) this.#known.set(line.point.dsid, line.last);
    this.#lines.delete(line.point.dsid);
    if (this.#lines.size > 0) return;
    this.#stopTick?.();
    this.#stopTick = null;
    this.#stopMarks?.();
    this.#stopMarks = null;
    this.#fresh = [];
  }

  #take(line: Line, now: LastValue, pushed: boolean): void {
    const before = line.last;
    line.last = followed(before, now);
    if (before?.value !== now.value) this.#writeValue(line);
    if (pushed && isChange(before, now)) this.#mark(line);
  }

  #writeValue(line: Line): void {
    const text = line.point.format(line.last?.value ?? null);
    for (const display of line.displays) if (display.part === 'value') write(display, text);
  }

  #mark(line: Line): void {
    const untilMs = this.#around.now() + HIGHLIGHT_MS;
    for (const { part, element } of line.displays) {
      if (part !== 'value') continue;
      element.setAttribute('data-fresh', '');
      this.#fresh.push({ element, untilMs });
    }
    this.#stopMarks ??= this.#around.after(HIGHLIGHT_MS, () => this.#unmark());
  }

  #unmark(): void {
    this.#stopMarks = null;
    const now = this.#around.now();
    const later = this.#fresh.filter(({ untilMs }) => untilMs > now);
    const stay = new Set(later.map(({ element }) => element));
    for (const { element } of this.#fresh) if (!stay.has(element)) element.removeAttribute('data-fresh');
    this.#fresh = later;
    const next = later[0];
    if (next !== undefined) this.#stopMarks = this.#around.after(next.untilMs - now, () => this.#unmark());
  }

  #judge(line: Line, now: number, cut: boolean): void {
    const { point, last } = line;
    const contact: Contact = {
      gatewayOnline: this.#isOnline(point.device_id),
      heardMs: this.#around.heardMs(point.device_id),
      cut,
      reportMs: this.#reportMs(point.device_id),
    };
    const state = trust(last, point, now, contact);
    const limit = placeOf(cut ? null : (last?.value ?? null), point);
    const age = last === undefined ? '' : this.#words.age(last, now, point.record);
    const isOther = state !== line.trust;
    const isMoved = limit !== line.limit;
    line.trust = state;
    line.limit = limit;
    for (const display of line.displays) {
      if (display.part === 'age') write(display, age);
      else if (display.part === 'limit' && isMoved) place(display.element, limit);
      else if (display.part === 'trust' && isOther) write(display, this.#words.trust(state));
      if (isOther && display.marked && display.part !== 'age') {
        display.element.setAttribute('data-tone', toneOf(state));
        display.element.setAttribute('data-trust', state);
      }
      if (isMoved && display.marked && display.part === 'value')
        display.element.setAttribute('data-limit', limit === 'high' || limit === 'low' ? limit : '');
    }
    if (!isOther && !isMoved) return;
    const status: LiveStatus = { trust: state, limit: limit === 'high' || limit === 'low' ? limit : null };
    for (const follower of line.followers) follower(status);
  }
}

function write(display: Display, text: string): void {
  if (display.written === text) return;
  display.written = text;
  display.text.data = text;
}

/** 'high', 'low', or the percent between both limits; '' when there is nothing to show. */
function placeOf(value: PointValue, { min, max }: BoardPoint): string {
  const broken = brokenLimit(value, min, max);
  if (broken !== null) return broken;
  if (typeof value !== 'number' || min === null || max === null || max <= min) return '';
  return String(Math.round(((value - min) / (max - min)) * 100));
}

function place(element: HTMLElement, limit: string): void {
  const percent = limit === 'high' ? '100' : limit === 'low' ? '0' : limit;
  element.setAttribute('data-limit', limit === 'high' || limit === 'low' ? limit : percent === '' ? 'none' : 'in');
  element.style.backgroundPositionX = percent === '' ? '' : `${percent}%`;
}
