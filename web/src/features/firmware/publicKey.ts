/** `KEY_ID = "BASE64"`, as scripts/firmware key prints it for firmware.toml. */
const LINE = /^\s*([A-Za-z0-9][A-Za-z0-9_.-]{0,63})\s*=\s*"([A-Za-z0-9+/]{43}=)"\s*$/;
export const KEY_ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
export const PUBLIC_KEY = /^[A-Za-z0-9+/]{43}=$/;

/** Name and key of a line; null for any other text. */
export function keyLine(text: string): { key_id: string; public_key: string } | null {
  const [, key_id, public_key] = LINE.exec(text) ?? [];
  return key_id === undefined || public_key === undefined ? null : { key_id, public_key };
}

/** A private key is never to leave where it was made. */
export function isPrivate(text: string): boolean {
  return /PRIVATE KEY/.test(text);
}
