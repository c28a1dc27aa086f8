/** A number for one request that nobody else has; also where the page has no secure context. */
export function requestId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
