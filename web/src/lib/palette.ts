/** An entry of the command palette. */
export interface Choice {
  id: string;
  title: string;
  /** Section, or kind of action. */
  group: string;
  /** Further words by which it is found: its address. */
  words: string;
}

/** At most this many are shown without a query, and of screens and actions together. */
export const MAX_CHOICES = 12;

/** How well every word of the query is met; 0 when one is not. */
function score(choice: Choice, words: readonly string[]): number {
  const title = choice.title.toLowerCase();
  let total = 0;
  for (const word of words) {
    if (title.startsWith(word)) total += 4;
    else if (title.includes(word)) total += 3;
    else if (choice.group.toLowerCase().includes(word)) total += 2;
    else if (choice.words.toLowerCase().includes(word)) total += 1;
    else return 0;
  }
  return total;
}

/** The best entries for a query, equal ones in their own order; without a query the first. */
export function ranked(choices: readonly Choice[], query: string): Choice[] {
  const words = query.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return choices.slice(0, MAX_CHOICES);
  return choices
    .map((choice) => ({ choice, points: score(choice, words) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .slice(0, MAX_CHOICES)
    .map(({ choice }) => choice);
}

/** Parts of a text, those that a word of the query is in marked. */
export function marked(text: string, query: string): readonly { text: string; hit: boolean }[] {
  const words = query.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const lower = text.toLowerCase();
  if (words.length === 0 || lower.length !== text.length) return [{ text, hit: false }];
  const hits = new Uint8Array(text.length);
  for (const word of words) {
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length))
      hits.fill(1, at, at + word.length);
  }
  const parts: { text: string; hit: boolean }[] = [];
  for (let at = 0, from = 0; at < text.length; at += 1) {
    if (at + 1 < text.length && hits[at + 1] === hits[from]) continue;
    parts.push({ text: text.slice(from, at + 1), hit: hits[from] === 1 });
    from = at + 1;
  }
  return parts;
}
