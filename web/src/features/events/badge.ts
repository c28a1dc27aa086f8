/** The badge shows no more than this. */
export const MOST_SHOWN = 999;

/** '' for nothing unread. */
export function badgeText(unread: number): string {
  if (unread <= 0) return '';
  return unread > MOST_SHOWN ? `${MOST_SHOWN}+` : String(unread);
}
