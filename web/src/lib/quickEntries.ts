/** A button of the top bar that the user made (user option user_config). */
export interface QuickEntry {
  url: string;
  text: string;
  /** Name of an icon, address of an uploaded one, or empty. */
  icon: string;
  newWindow: boolean;
}

/** Only http, https and addresses of this portal are opened. */
export function isSafe(url: string): boolean {
  return /^https?:\/\//i.test(url) || /^\/(?![/\\])/.test(url);
}

/** Is it a screen of this portal, followed without a page load? */
export function isScreen(entry: QuickEntry): boolean {
  return !entry.newWindow && /^\/(?![/\\])/.test(entry.url);
}

/** Entries in the order of their places; what may not be opened is left out. */
export function inOrder(entries: readonly (QuickEntry & { position: number })[]): QuickEntry[] {
  return entries.filter(({ url }) => isSafe(url)).sort((a, b) => a.position - b.position);
}

/** Keys of the entries in a list, by what they say; those that are alike are numbered. */
export function keysOf(entries: readonly Pick<QuickEntry, 'text' | 'url'>[]): string[] {
  const counts = new Map<string, number>();
  return entries.map(({ text, url }) => {
    const said = `${text}\n${url}`;
    const count = counts.get(said) ?? 0;
    counts.set(said, count + 1);
    return `${said}\n${count}`;
  });
}
