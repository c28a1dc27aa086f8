import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * What is sent instead of a typed password: 's1$' and the hex SHA-256 of 'edge-portal/1', a line end and the password.
 * It keeps the word out of logs and proxies; it is no substitute for TLS. The cloud hashes it once more, with a salt.
 */
export function transformed(password: string): string {
  return `s1$${bytesToHex(sha256(utf8ToBytes(`edge-portal/1\n${password}`)))}`;
}
