import { create } from 'zustand';
import { Leader } from './leader';
import type { Channel, Role } from './leader';
import { TonePlayer } from './player';
import type { SoundState } from './player';
import type { Tone } from './tones';

export type { Tone };

const CHANNEL = 'edge.sounds';
const MUTED = 'edge.muted';

interface Sound {
  state: SoundState;
  role: Role;
  /** This browser keeps quiet, whoever is signed in. */
  muted: boolean;
}

/** Whether this page can sound, and whether it is the one that does. */
export const useSound = create<Sound>()(() => ({
  state: 'off',
  role: 'out',
  muted: localStorage.getItem(MUTED) === 'yes',
}));

let leader: Leader | null = null;
let wanted = 0;

const player = new TonePlayer({
  open: () => new AudioContext(),
  mayOpen: () => navigator.userActivation?.hasBeenActive ?? true,
  now: Date.now,
  onState: (state) => {
    useSound.setState({ state: wanted === 0 ? 'off' : state });
    if (state === 'ready' && wanted > 0) leader?.join();
    else leader?.leave();
  },
});

function tabs(): Channel {
  const channel = new BroadcastChannel(CHANNEL);
  return {
    // A broadcast goes to this origin only and takes no target.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    send: (word) => channel.postMessage(word),
    listen: (take) => void (channel.onmessage = (event: MessageEvent<unknown>) => take(event.data)),
  };
}

function makeLeader(): Leader {
  return new Leader({
    id: crypto.getRandomValues(new Uint32Array(2)).join('-'),
    channel: tabs(),
    now: Date.now,
    after: (ms, work) => {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    },
    onRole: (role) => useSound.setState({ role }),
  });
}

const unlock = (): void => {
  if (wanted > 0 && player.state !== 'ready') void player.unlock();
};

const leave = (): void => leader?.leave();

/** A page that comes back out of the browser's memory had left. */
const comeBack = (): void => {
  if (player.state === 'ready') leader?.join();
};

const onStorage = (event: StorageEvent): void => {
  if (event.key === MUTED) useSound.setState({ muted: event.newValue === 'yes' });
};

/** Sounds are wanted from now on: the next click or key anywhere allows them. Returns the function that ends it. */
export function wantSounds(): () => void {
  wanted += 1;
  if (wanted === 1) {
    leader ??= makeLeader();
    for (const kind of ['pointerdown', 'keydown'] as const) window.addEventListener(kind, unlock);
    window.addEventListener('pagehide', leave);
    window.addEventListener('pageshow', comeBack);
    window.addEventListener('storage', onStorage);
    void player.unlock();
  }
  return () => {
    wanted -= 1;
    if (wanted > 0) return;
    for (const kind of ['pointerdown', 'keydown'] as const) window.removeEventListener(kind, unlock);
    window.removeEventListener('pagehide', leave);
    window.removeEventListener('pageshow', comeBack);
    window.removeEventListener('storage', onStorage);
    leave();
    useSound.setState({ state: 'off' });
  };
}

/** A tone for an event that every tab hears of; one tab plays it. False when nobody is known to have heard it. */
export function playTone(tone: Tone): boolean {
  if (wanted === 0 || useSound.getState().muted) return true;
  return leader?.run(() => player.play(tone)) ?? false;
}

/** A tone that was asked for here, and is heard here, muted or not; 'blocked' when the browser still does not let us. */
export async function tryTone(tone: Tone): Promise<SoundState> {
  await player.unlock();
  player.play(tone);
  return player.state;
}

/** From within a click. */
export function allowSounds(): Promise<void> {
  return player.unlock();
}

export function setMuted(muted: boolean): void {
  localStorage.setItem(MUTED, muted ? 'yes' : 'no');
  useSound.setState({ muted });
}
