import { beforeEach, expect, test } from 'vitest';
import { ANSWER_MS, Leader, TAKE_OVER_MS } from '@/lib/sounds/leader';
import { QUIET_MS, TonePlayer } from '@/lib/sounds/player';
import type { Audio, SoundState } from '@/lib/sounds/player';
import { NOTES, TONES } from '@/lib/sounds/tones';
import { Clock } from './clock';

/** Web Audio as far as it is used; the browser's permission is under the test's hand. */
class FakeAudio {
  state: AudioContextState = 'suspended';
  currentTime = 10;
  destination = {} as AudioDestinationNode;
  onstatechange: (() => void) | null = null;
  allowed = false;
  started: number[] = [];

  async resume(): Promise<void> {
    if (!this.allowed) throw new DOMException('no', 'NotAllowedError');
    this.state = 'running';
  }

  createOscillator(): unknown {
    return {
      type: '',
      frequency: { value: 0 },
      connect: () => undefined,
      start: (at: number) => this.started.push(at),
      stop: () => undefined,
    };
  }

  createGain(): unknown {
    return {
      gain: { setValueAtTime: () => undefined, linearRampToValueAtTime: () => undefined },
      connect: () => undefined,
    };
  }
}

test('a page that nobody touched makes no audio context and says that it is blocked', async () => {
  const audio = new FakeAudio();
  const states: SoundState[] = [];
  let [opened, touched] = [0, false];
  const player = new TonePlayer({
    open: () => {
      opened += 1;
      return audio as unknown as Audio;
    },
    mayOpen: () => touched,
    now: () => 0,
    onState: (state) => states.push(state),
  });
  await player.unlock();
  expect([opened, states, player.play('alarm')]).toEqual([0, ['blocked'], false]);
  touched = true;
  await player.unlock();
  expect([opened, player.state]).toEqual([1, 'blocked']);
  audio.allowed = true;
  await player.unlock();
  expect([opened, states.at(-1), player.play('alarm')]).toEqual([1, 'ready', true]);
  audio.state = 'suspended';
  audio.onstatechange?.();
  expect(states.at(-1)).toBe('blocked');
});

test('a tone is followed by quiet', async () => {
  const clock = new Clock();
  const audio = new FakeAudio();
  audio.allowed = true;
  const player = new TonePlayer({
    open: () => audio as unknown as Audio,
    mayOpen: () => true,
    now: () => clock.now,
    onState: () => undefined,
  });
  await player.unlock();
  expect(player.play('alarm')).toBe(true);
  expect(audio.started).toEqual(NOTES.alarm.map(({ at_s }) => 10 + at_s));
  clock.pass(QUIET_MS - 1);
  expect(player.play('came')).toBe(false);
  clock.pass(1);
  expect(player.play('came')).toBe(true);
});

test.each(TONES)('tone %s is short, within hearing, and no louder than half', (tone) => {
  for (const { hz, at_s, for_s, gain } of NOTES[tone]) {
    expect(at_s + for_s).toBeLessThan(QUIET_MS / 1000);
    expect(hz).toBeGreaterThan(250);
    expect(hz).toBeLessThan(2_000);
    expect(gain).toBeLessThanOrEqual(0.5);
  }
});

/** Tabs of one browser: what one says the others hear at once, unless they are frozen. */
class Browser {
  readonly clock = new Clock();
  readonly frozen = new Set<string>();
  readonly played: string[] = [];
  readonly #takers = new Map<string, (word: unknown) => void>();

  tab(id: string): Leader {
    return new Leader({
      id,
      channel: {
        send: (word) => {
          for (const [other, take] of this.#takers) if (other !== id && !this.frozen.has(other)) take(word);
        },
        listen: (take) => void this.#takers.set(id, take),
      },
      now: () => this.clock.now,
      after: this.clock.after,
      onRole: () => undefined,
    });
  }

  /** Something that every tab hears of. */
  event(...tabs: [string, Leader][]): void {
    for (const [id, tab] of tabs) if (!this.frozen.has(id)) tab.run(() => this.played.push(id));
  }
}

let browser: Browser;
let a: Leader;
let b: Leader;
let both: [string, Leader][];

beforeEach(() => {
  browser = new Browser();
  a = browser.tab('a');
  b = browser.tab('b');
  both = [
    ['a', a],
    ['b', b],
  ];
});

test('the first tab leads, the second follows, one of them plays', () => {
  b.join();
  browser.clock.pass(ANSWER_MS);
  a.join();
  browser.clock.pass(ANSWER_MS);
  expect([a.role, b.role]).toEqual(['following', 'leading']);
  browser.event(...both);
  browser.clock.pass(TAKE_OVER_MS * 2);
  expect(browser.played).toEqual(['b']);
});

test('tabs that begin together agree on one', () => {
  a.join();
  b.join();
  browser.clock.pass(ANSWER_MS);
  expect([a.role, b.role]).toEqual(['leading', 'following']);
  browser.event(...both);
  browser.clock.pass(TAKE_OVER_MS * 2);
  expect(browser.played).toEqual(['a']);
});

test('a follower that hears of the event later than the leader does not play it again', () => {
  a.join();
  browser.clock.pass(ANSWER_MS);
  b.join();
  browser.event(['a', a]);
  browser.clock.pass(TAKE_OVER_MS - 1);
  browser.event(['b', b]);
  browser.clock.pass(TAKE_OVER_MS * 2);
  expect(browser.played).toEqual(['a']);
});

test('when the leader leaves, another leads at once', () => {
  a.join();
  browser.clock.pass(ANSWER_MS);
  b.join();
  a.leave();
  browser.clock.pass(ANSWER_MS);
  expect([a.role, b.role]).toEqual(['out', 'leading']);
});

test('a leader that is gone without a word costs one tone two seconds', () => {
  a.join();
  browser.clock.pass(ANSWER_MS);
  b.join();
  browser.frozen.add('a');
  browser.event(...both);
  browser.clock.pass(TAKE_OVER_MS + ANSWER_MS);
  expect([b.role, browser.played]).toEqual(['leading', ['b']]);
  browser.event(...both);
  expect(browser.played).toEqual(['b', 'b']);
});

test('a frozen leader that comes back does not stay a second one', () => {
  a.join();
  browser.clock.pass(ANSWER_MS);
  b.join();
  browser.frozen.add('a');
  browser.event(...both);
  browser.clock.pass(TAKE_OVER_MS + ANSWER_MS);
  browser.frozen.delete('a');
  browser.event(...both);
  browser.event(...both);
  expect([a.role, b.role].filter((role) => role === 'leading')).toHaveLength(1);
});

test('who cannot sound takes no part', () => {
  browser.event(...both);
  browser.clock.pass(TAKE_OVER_MS * 2);
  expect(browser.played).toEqual([]);
});

test('a tone is taken while it is asked who plays, and when nobody can play it is not', () => {
  const play = (): void => void browser.played.push('a');
  expect(a.run(play)).toBe(false);
  a.join();
  expect([a.run(play), browser.played]).toEqual([true, []]);
  browser.clock.pass(ANSWER_MS);
  expect(browser.played).toEqual(['a']);
  expect(a.run(play)).toBe(true);
  a.leave();
  expect(a.run(play)).toBe(false);
});
