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
