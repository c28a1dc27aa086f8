import { expect, test, vi } from 'vitest';
import { ApiError } from '@/api/errors';
import { EVENT_PAGE } from '@/features/events/api';
import { badgeText } from '@/features/events/badge';
import { each, FALSE_ALARM, HANDLED, steps, UNHANDLED } from '@/features/events/handling';
import {
  MAX_TOASTS,
  NEW_SINCE_MS,
  EventFeed,
  feedStart,
  SETTLE_MS,
  STORM_EVENTS,
  STORM_MS,
  STORM_TONE_MS,
} from '@/features/events/feed';
import type { Counts, FeedItem } from '@/features/events/feed';
import { periodAt } from '@/features/events/period';
import { allowed, DEFAULTS, wantsTone } from '@/features/events/settings';
import { APART_MS, GATHER_MS, Gathered } from '@/lib/live/gathered';
import { Audience, isAlarmPush, isOnOffPush, isUnreadPush } from '@/lib/live/pushes';
import { Clock } from './clock';

const ALL_ON = { alarm: true, onoff: true, alarmTone: true, onoffTone: true };

/** A desk with its clock, and what it told. */
class Desk {
  readonly clock = new Clock();
  hidden = false;
  isHeard = true;
  settings = ALL_ON;
  tones: string[] = [];
  shown: FeedItem[] = [];
  hiddenAgain: FeedItem[] = [];
  together: Counts[] = [];
  readonly desk = new EventFeed({
    now: () => this.clock.now,
    after: this.clock.after,
    isHidden: () => this.hidden,
    settings: () => this.settings,
    tone: (tone) => {
      this.tones.push(tone);
      return this.isHeard;
    },
    showEach: (items) => this.shown.push(...items),
    hideEach: (items) => this.hiddenAgain.push(...items),
    showTogether: (counts) => this.together.push(counts),
  });

  take(...items: FeedItem[]): void {
    for (const item of items) this.desk.take(item);
  }
}

const alarm = (id: number, good = false): FeedItem => ({ kind: 'alarm', id, at: 0, good });
const onOff = (id: number, good = false): FeedItem => ({ kind: 'onoff', id, at: 0, good });
const many = (count: number, from = 1): FeedItem[] => Array.from({ length: count }, (_, at) => alarm(from + at));

test('constants of the specification', () => {
  expect(NEW_SINCE_MS).toBe(60_000);
  expect(EVENT_PAGE).toBe(20);
  expect(DEFAULTS).toEqual({ alarm: false, onoff: false, alarmTone: true, onoffTone: false });
});

test.each([
  [-1, ''],
  [0, ''],
  [1, '1'],
  [999, '999'],
  [1000, '999+'],
])('the badge of %d unread is %j', (unread, text) => {
  expect(badgeText(unread)).toBe(text);
});

test('what is new began a minute ago, or with the oldest event that was told', () => {
  expect(feedStart(100_000)).toBe(40_000);
  expect(feedStart(100_000, [{ at: 90_000 }])).toBe(40_000);
  expect(feedStart(100_000, [{ at: 90_000 }, { at: 7 }])).toBe(7);
});

test('nothing is told of what is not wanted, and each event once', () => {
  const one = new Desk();
  one.settings = { ...ALL_ON, onoff: false };
  one.take(onOff(1), alarm(1), alarm(1));
  one.clock.pass(SETTLE_MS);
  expect(one.shown).toEqual([alarm(1)]);
  expect(one.tones).toEqual(['alarm']);
});

test('without a choice nothing is told; alarms that are wanted sound, the way on and off does not', () => {
  const one = new Desk();
  const take = (settings: typeof ALL_ON, id: number): [FeedItem[], string[]] => {
    [one.settings, one.shown, one.tones] = [settings, [], []];
    one.take(alarm(id), onOff(id));
    one.clock.pass(STORM_MS);
    for (const item of one.shown) one.desk.closed(item);
    return [one.shown, one.tones];
  };
  expect(take(DEFAULTS, 1)).toEqual([[], []]);
  expect(take({ ...DEFAULTS, alarm: true }, 2)).toEqual([[alarm(2)], ['alarm']]);
  expect(take({ ...DEFAULTS, onoff: true }, 3)).toEqual([[onOff(3)], []]);
});

test('tones tell the kind and whether it is good news; a tone can be off', () => {
  const one = new Desk();
  one.take(alarm(1), alarm(1, true), onOff(1), onOff(1, true));
  expect(one.tones).toEqual(['alarm', 'recovery', 'went', 'came']);
  one.settings = { ...ALL_ON, alarmTone: false };
  one.take(alarm(2));
  expect(one.tones).toHaveLength(4);
});

test('few at a time: more than the toasts there may be are told together', () => {
  const one = new Desk();
  one.take(...many(MAX_TOASTS));
  one.clock.pass(SETTLE_MS);
  expect(one.shown).toHaveLength(MAX_TOASTS);
  one.take(alarm(50), onOff(51));
  one.clock.pass(SETTLE_MS);
  expect(one.hiddenAgain).toEqual(many(MAX_TOASTS));
  expect(one.together).toEqual([{ alarm: MAX_TOASTS + 1, recovery: 0, onoff: 1 }]);
  one.take(alarm(52));
  one.clock.pass(SETTLE_MS);
  expect(one.together.at(-1)).toEqual({ alarm: MAX_TOASTS + 2, recovery: 0, onoff: 1 });
  expect(one.shown).toHaveLength(MAX_TOASTS);
});

test('a flood that the cloud has folded is one toast, one tone and the right numbers', () => {
  const one = new Desk();
  for (let at = 0; at < 10; at += 1) {
    one.take({ ...alarm(1000 + at), count: 100 }, { ...alarm(1000 + at, true), count: 50 });
    one.clock.pass(SETTLE_MS / 2);
  }
  one.clock.pass(SETTLE_MS);
  expect(one.shown).toEqual([]);
  expect(one.together.at(-1)).toEqual({ alarm: 1000, recovery: 500, onoff: 0 });
  expect(one.tones).toEqual(['alarm']);
});

test('closed toasts make room again', () => {
  const one = new Desk();
  one.take(...many(MAX_TOASTS));
  one.clock.pass(SETTLE_MS);
  for (const item of many(MAX_TOASTS)) one.desk.closed(item);
  one.take(alarm(60));
  one.clock.pass(SETTLE_MS);
  expect(one.shown.at(-1)).toEqual(alarm(60));
  expect(one.together).toEqual([]);
});

test('a burst of hundreds is one toast with the right number', () => {
  const one = new Desk();
  one.take(...many(300));
  one.clock.pass(SETTLE_MS);
  expect(one.shown).toEqual([]);
  expect(one.together).toEqual([{ alarm: 300, recovery: 0, onoff: 0 }]);
});

test('a tone that nobody heard is tried again with the next event of a flood', () => {
  const one = new Desk();
  one.isHeard = false;
  one.take(...many(20));
  one.isHeard = true;
  one.take(...many(20, 21));
  expect(one.tones).toHaveLength(21);
});

test('in a flood everything is told together and tones come once a minute, until it is over', () => {
  const one = new Desk();
  for (const item of many(STORM_EVENTS + 1)) {
    one.take(item);
    one.clock.pass(5_000);
    one.desk.closed(item);
    one.desk.closedTogether();
  }
  expect(one.together).toEqual([{ alarm: 1, recovery: 0, onoff: 0 }]);
  const before = one.tones.length;
  one.take(alarm(100));
  expect(one.tones).toHaveLength(before);
  one.clock.pass(STORM_TONE_MS);
  one.take(alarm(101));
  expect(one.tones).toHaveLength(before + 1);
  one.desk.closedTogether();
  one.clock.pass(STORM_MS + 1);
  one.desk.closedTogether();
  one.take(alarm(102));
  one.clock.pass(SETTLE_MS);
  expect(one.shown.at(-1)).toEqual(alarm(102));
});

test('a hidden page sounds at once, shows nothing, and tells together what came meanwhile', () => {
  const one = new Desk();
  one.hidden = true;
  one.take(...many(5));
  expect(one.tones).toHaveLength(5);
  one.clock.pass(60_000);
  expect(one.shown).toEqual([]);
  one.hidden = false;
  one.desk.becameVisible();
  one.clock.pass(SETTLE_MS);
  expect(one.together).toEqual([{ alarm: 5, recovery: 0, onoff: 0 }]);
});

test('settings hold only for what the user may see; a tone belongs to its notification', () => {
  expect(allowed(ALL_ON, false, true)).toEqual({ ...ALL_ON, alarm: false });
  expect(wantsTone(DEFAULTS)).toBe(false);
  expect(wantsTone({ ...DEFAULTS, alarm: true })).toBe(true);
  expect(wantsTone({ ...DEFAULTS, onoff: true })).toBe(false);
});

test.each([
  [1, UNHANDLED, [HANDLED, FALSE_ALARM]],
  [4, HANDLED, [UNHANDLED]],
  [201, FALSE_ALARM, [UNHANDLED]],
  [0, HANDLED, []],
  [3, UNHANDLED, []],
])('an alarm of type %d and status %d can become %j', (alarm_type, status, wanted) => {
  expect(steps({ alarm_type, status })).toEqual(wanted);
});

test('many are handled a few at a time; what one refuses stops nothing', async () => {
  let [running, max] = [0, 0];
  const outcome = await each(
    Array.from({ length: 20 }, (_, id) => id),
    async (id) => {
      running += 1;
      max = Math.max(max, running);
      await Promise.resolve();
      running -= 1;
      if (id % 5 === 0) throw new ApiError({ status: id === 0 ? 403 : 409, code: 10002 });
    },
  );
  expect(outcome).toEqual({ done: 16, skipped: 4 });
  expect(max).toBeLessThanOrEqual(4);
});

test('a failure that is not of one event stops the rest', async () => {
  const act = vi.fn(() => Promise.reject(new ApiError({ cause: 'network' })));
  await expect(
    each(
      Array.from({ length: 50 }, (_, id) => id),
      act,
    ),
  ).rejects.toThrow();
  expect(act.mock.calls.length).toBeLessThanOrEqual(4);
});

test('a period that lasts has no end, so that what happens now is in it', () => {
  const now = new Date(2026, 10, 21, 12).getTime();
  expect(periodAt({}, 'past7Days', now)).toEqual({ starttime: now - 7 * 86_400_000 });
  expect(periodAt({ range: 'pastHour' }, 'past7Days', now + 5)).toEqual({ starttime: now + 5 - 3_600_000 });
  expect(periodAt({ range: 'yesterday' }, 'past7Days', now)).toEqual({
    starttime: new Date(2026, 10, 20).getTime(),
    endtime: new Date(2026, 10, 21).getTime(),
  });
  expect(periodAt({ start: '5', end: '9' }, 'past7Days', now)).toEqual({ starttime: 5, endtime: 9 });
  expect(periodAt({ start: '', end: '', range: '' }, 'today', now)).toEqual({
    starttime: new Date(2026, 10, 21).getTime(),
  });
});

test('pushes are looked at before anybody is told', () => {
  expect(isAlarmPush({ did: 1, id: 2, event: 'new', at: 3, alarm_type: 4 })).toBe(true);
  expect(isAlarmPush({ did: 1, id: 2, event: 'deleted' })).toBe(true);
  for (const wrong of [
    {},
    { did: 1, id: 2, event: 'new' },
    { did: '1', id: 2, event: 'deleted' },
    { did: 1, id: 2, event: 'x' },
  ]) {
    expect(isAlarmPush(wrong)).toBe(false);
  }
  expect(isOnOffPush({ did: 1, id: 2, status: 0, at: 3 })).toBe(true);
  expect(isOnOffPush({ did: 1, id: 2, status: '0', at: 3 })).toBe(false);
  expect(isUnreadPush({ alarm: 1, onoffline: 0 })).toBe(true);
  expect(isUnreadPush({ alarm: 1 })).toBe(false);
});

test('an audience hears until it leaves, also the same listener twice', () => {
  const heard: number[] = [];
  const audience = new Audience<number>();
  const listener = (message: number): void => void heard.push(message);
  const [leave] = [audience.listen(listener), audience.listen(listener)];
  audience.tell(1);
  leave();
  audience.tell(2);
  expect(heard).toEqual([1, 1, 2]);
});

test('work that many ask for is done soon and seldom', () => {
  const clock = new Clock();
  let done = 0;
  const one = new Gathered(() => (done += 1), { now: () => clock.now, after: clock.after, isHidden: () => false });
  for (let at = 0; at < 100; at += 1) one.ask();
  clock.pass(GATHER_MS);
  expect(done).toBe(1);
  for (let at = 0; at < 100; at += 1) one.ask();
  clock.pass(GATHER_MS);
  expect(done).toBe(1);
  clock.pass(APART_MS);
  expect(done).toBe(2);
  one.ask();
  one.stop();
  clock.pass(APART_MS * 2);
  expect(done).toBe(2);
});

test('a hidden page asks nothing, and once when it is looked at again', () => {
  const clock = new Clock();
  let [done, hidden] = [0, false];
  const one = new Gathered(() => (done += 1), { now: () => clock.now, after: clock.after, isHidden: () => hidden });
  one.ask();
  hidden = true;
  clock.pass(GATHER_MS);
  one.ask();
  clock.pass(600_000);
  one.onVisible();
  expect(done).toBe(0);
  hidden = false;
  one.onVisible();
  one.onVisible();
  clock.pass(APART_MS);
  expect(done).toBe(1);
});
