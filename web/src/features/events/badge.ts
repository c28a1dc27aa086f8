/** The badge shows no more than this. */
export const MAX_SHOWN = 999;

/** '' for nothing unread. */
export function badgeText(unread: number): string {
  if (unread <= 0) return '';
  return unread > MAX_SHOWN ? `${MAX_SHOWN}+` : String(unread);
}
