export const TONES = ['alarm', 'recovery', 'went', 'came'] as const;
export type Tone = (typeof TONES)[number];

/** One sound. Frequency in Hz, times in seconds from the start of the tone, loudness from 0 to 1. */
export interface Note {
  hz: number;
  at_s: number;
  for_s: number;
  gain: number;
}

/** Rising is good news, falling is bad news; an alarm is two falling pairs, so that it is known without looking. */
export const NOTES: Readonly<Record<Tone, readonly Note[]>> = {
  alarm: [
    { hz: 988, at_s: 0, for_s: 0.16, gain: 0.5 },
    { hz: 740, at_s: 0.18, for_s: 0.2, gain: 0.5 },
    { hz: 988, at_s: 0.46, for_s: 0.16, gain: 0.5 },
    { hz: 740, at_s: 0.64, for_s: 0.24, gain: 0.5 },
  ],
  recovery: [
    { hz: 523, at_s: 0, for_s: 0.12, gain: 0.3 },
    { hz: 784, at_s: 0.14, for_s: 0.2, gain: 0.3 },
  ],
  went: [
    { hz: 440, at_s: 0, for_s: 0.12, gain: 0.3 },
    { hz: 330, at_s: 0.14, for_s: 0.2, gain: 0.3 },
  ],
  came: [
    { hz: 330, at_s: 0, for_s: 0.12, gain: 0.3 },
    { hz: 440, at_s: 0.14, for_s: 0.2, gain: 0.3 },
  ],
};
