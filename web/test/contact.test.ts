import { expect, test } from 'vitest';
import { ANSWER_HOLDS_MS, isCut, PATIENCE_MS } from '@/lib/live/contact';

const LOST = 100_000;

test.each([
  ['never lost', null, 0, LOST, false],
  ['just lost', LOST, LOST - 1, LOST + PATIENCE_MS, false],
  ['lost, nobody has answered since', LOST, LOST - 1, LOST + PATIENCE_MS + 1, true],
  ['lost, but polls are answered', LOST, LOST + 4_000, LOST + 5_000, false],
  ['the answer still holds', LOST, LOST + 4_000, LOST + 4_000 + ANSWER_HOLDS_MS, false],
  ['the answer is too old', LOST, LOST + 4_000, LOST + 4_001 + ANSWER_HOLDS_MS, true],
] as const)('%s', (_name, lost, answered, now, cut) => {
  expect(isCut(lost, answered, now)).toBe(cut);
});
