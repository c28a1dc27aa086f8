import { NOTES } from './tones';
import type { Tone } from './tones';

/** A tone is followed by at least this much quiet: many events are no siren. */
export const QUIET_MS = 3_000;
/** Rise and fall of a note: without them it clicks. */
const RAMP_S = 0.015;

/** off: nobody has asked for sound; blocked: the browser wants a click or a key first. */
export type SoundState = 'off' | 'blocked' | 'ready';

/** What of Web Audio is used. */
export type Audio = Pick<
  AudioContext,
  'state' | 'currentTime' | 'destination' | 'resume' | 'createOscillator' | 'createGain' | 'onstatechange'
>;

interface Surroundings {
  open: () => Audio;
  /** Has the page been touched? A context that is made before is blocked, and the browser complains. */
  mayOpen: () => boolean;
  now: () => number;
  onState: (state: SoundState) => void;
}

/** Tones made by Web Audio. The browser lets no page sound that nobody has touched yet. */
export class TonePlayer {
  readonly #around: Surroundings;
  #audio: Audio | null = null;
  #playedAtMs = -Infinity;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  get state(): SoundState {
    return this.#audio?.state === 'running' ? 'ready' : 'blocked';
  }

  /** Get ready, as far as the browser lets us; to be called again from within a click or a key. */
  async unlock(): Promise<void> {
    if (this.#audio === null) {
      if (!this.#around.mayOpen()) return this.#tell();
      this.#audio = this.#around.open();
      this.#audio.onstatechange = () => this.#tell();
    }
    if (this.#audio.state !== 'running') {
      // A refusal is told by the state, which is looked at next.
      await this.#audio.resume().catch(() => undefined);
    }
    this.#tell();
  }

  /** False when nothing was heard: blocked, or too soon after the last. */
  play(tone: Tone): boolean {
    const audio = this.#audio;
    const now = this.#around.now();
    if (audio === null || audio.state !== 'running' || now - this.#playedAtMs < QUIET_MS) return false;
    this.#playedAtMs = now;
    for (const { hz, at_s, for_s, gain } of NOTES[tone]) {
      const [start, end] = [audio.currentTime + at_s, audio.currentTime + at_s + for_s];
      const oscillator = audio.createOscillator();
      const volume = audio.createGain();
      oscillator.type = 'triangle';
      oscillator.frequency.value = hz;
      volume.gain.setValueAtTime(0, start);
      volume.gain.linearRampToValueAtTime(gain, start + RAMP_S);
      volume.gain.setValueAtTime(gain, end - RAMP_S);
      volume.gain.linearRampToValueAtTime(0, end);
      oscillator.connect(volume);
      volume.connect(audio.destination);
      oscillator.start(start);
      oscillator.stop(end);
    }
    return true;
  }

  #tell(): void {
    this.#around.onState(this.state);
  }
}
