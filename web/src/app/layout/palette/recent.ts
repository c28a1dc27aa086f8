/** Found things of which each user's last ones are offered again. */
export const MAX_RECENT = 6;

export interface Recent {
  id: string;
  kind: string;
  title: string;
  detail: string;
  href: string;
}

const keyOf = (userId: string | number): string => `edge.palette.${userId}`;

function isRecent(value: unknown): value is Recent {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Record<string, unknown>;
  return (
    ['id', 'kind', 'title', 'detail', 'href'].every((name) => typeof fields[name] === 'string') &&
    String(fields.href).startsWith('/')
  );
}

/** What this user opened by the palette in this browser, the last first. */
export function recentOf(userId: string | number): Recent[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(userId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isRecent).slice(0, MAX_RECENT) : [];
  } catch {
    return []; // private mode, or something else's text
  }
}

export function keepRecent(userId: string | number, chosen: Recent): void {
  try {
    const others = recentOf(userId).filter(({ id }) => id !== chosen.id);
    localStorage.setItem(keyOf(userId), JSON.stringify([chosen, ...others].slice(0, MAX_RECENT)));
  } catch {
    // Full, or private mode: nothing is offered again.
  }
}
