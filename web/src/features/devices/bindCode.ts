export const BIND_PATH = '/device/bind';
const CODE = /^[A-Za-z0-9_-]{1,40}$/;

/** What stands in the QR code: any phone's camera opens the portal, which then binds. */
export function bindAddress(code: string, origin: string): string {
  return `${origin}${BIND_PATH}?code=${encodeURIComponent(code)}`;
}

/** The code in what was scanned or typed: an address of any portal, or the code itself; null for anything else. */
export function bindCodeOf(text: string): string | null {
  const typed = text.trim();
  if (CODE.test(typed)) return typed;
  if (!URL.canParse(typed)) return null;
  const code = new URL(typed).searchParams.get('code') ?? '';
  return CODE.test(code) ? code : null;
}

/** A serial number on a label: the text itself, or what follows SN: in it. */
export function serialOf(text: string): string {
  const named = /(?:^|[;,\s])S\/?N[:=]\s*([A-Za-z0-9_-]+)/i.exec(text);
  return (named?.[1] ?? text).trim();
}
