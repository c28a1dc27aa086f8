/** IPv4 addresses and host names as the contract judges them (edge_contract/parameters/network.py, hosts.py). */

const MAX_HOST = 253;

/** An IPv4 address as a number; null for a text that is none. Leading zeros are none either. */
export function addressOf(text: string): number | null {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return null;
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** How many bits of a netmask are set; null for one that is not of 1 to 30 bits in a row. */
export function prefixOf(netmask: string): number | null {
  const bits = addressOf(netmask)?.toString(2).padStart(32, '0');
  const length = bits?.indexOf('0') ?? -1;
  return bits !== undefined && length >= 1 && length <= 30 && !bits.slice(length).includes('1') ? length : null;
}

/** First and last address of the network that an address is in. */
export function networkOf(address: number, prefix: number): [first: number, last: number] {
  const size = 2 ** (32 - prefix);
  const first = Math.floor(address / size) * size;
  return [first, first + size - 1];
}

/** May a host have it: no loopback, multicast, reserved or unspecified address. */
export function isHost(address: number): boolean {
  const first = Math.floor(address / 2 ** 24);
  return address !== 0 && first !== 127 && first < 224;
}

/** The rule that a host name or address breaks; null for none. */
export function hostRule(host: string): string | null {
  const length = [...host].length;
  if (length < 1 || length > MAX_HOST) return `must have 1 to ${MAX_HOST} characters`;
  if (/[\s\p{C}\p{Z}]/u.test(host)) return 'must have no blanks and no control characters';
  if (/[/\\@?#[\]]/.test(host)) return 'must be a host name or an address alone';
  const labels = host.replace(/\.$/, '').split('.');
  if (labels.every((label) => label.length >= 1 && label.length <= 63)) return null;
  return 'must be a host name: labels of 1 to 63 characters between dots';
}
