import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { signInTarget } from '@/features/session/signInTarget';
import { domainOf, isOwnPicture, titleFor } from '@/lib/brand';
import { decode, taken } from '@/lib/handedOver';
import { isInside } from '@/lib/navigation';
import { transformed } from '@/lib/password';

/** The cloud's own vectors: word and what is sent for it, as CSV. */
function vectors(): [string, string][] {
  const lines = readFileSync(new URL('../../cloud/tests/domains/identity/transform.csv', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  return lines.slice(1).map((line) => {
    const at = line.lastIndexOf(',');
    const word = line.slice(0, at);
    return [word.startsWith('"') ? word.slice(1, -1).replaceAll('""', '"') : word, line.slice(at + 1).trim()];
  });
}

test.each(vectors())('the transform of %j', (word, sent) => {
  expect(transformed(word)).toBe(sent);
});

const packed = (value: unknown): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

test('a credential that is handed over', () => {
  expect(decode(packed({ username: '张三', password: 'a?>b' }))).toEqual({ username: '张三', password: 'a?>b' });
});

test.each([
  '',
  '%%%',
  packed('no json'),
  packed([]),
  packed('null'),
  packed({ username: 'a' }),
  packed({ username: '', password: 'b' }),
  packed({ username: 'a', password: 1 }),
  'w4',
  'A'.repeat(4000),
])('%s is no credential', (text) => {
  expect(decode(text)).toBeNull();
});

test('the credential leaves the address; a malformed one leads to the plain sign-in page', () => {
  const u = packed({ username: 'a', password: 'b' });
  expect(taken(`/login?redirect=%2Fuser%2Fme&u=${u}`)).toEqual({
    address: '/login?redirect=%2Fuser%2Fme',
    credential: { username: 'a', password: 'b' },
  });
  expect(taken(`/monitor/device?page=2&u=${u}`).address).toBe('/login?redirect=%2Fmonitor%2Fdevice%3Fpage%3D2');
  expect(taken('/login?redirect=%2Fuser%2Fme&u=xx')).toEqual({ address: '/login', credential: null });
  expect(taken('/login?redirect=%2F')).toEqual({ address: null, credential: null });
});

test.each([
  ['/monitor/device', true],
  ['/a?b=//c', true],
  ['//evil.example', false],
  ['/\\evil.example', false],
  ['/.//evil.example', false],
  ['/x/..//evil.example', false],
  ['/\t/evil.example', false],
  ['https://evil.example', false],
  ['javascript:alert(1)', false],
  ['', false],
  [null, false],
])('%j lies inside the portal: %s', (target, expected) => {
  expect(isInside(target)).toBe(expected);
});

test('after sign-in to where the user was going', () => {
  expect(signInTarget('?redirect=%2FdeviceDetail%2Findex%3Fdevice_id%3D1')).toBe('/deviceDetail/index?device_id=1');
  expect(signInTarget('?redirect=%2Flogin')).toBe('/');
  expect(signInTarget('?redirect=//evil.example')).toBe('/');
  expect(signInTarget('')).toBe('/');
});

test.each([
  [{ type: 2, bigscreenTitle: 'Mine' }, ['CustomizeBigscreenTitle'], 'Mine'],
  [{ type: 1, bigscreenTitle: 'Mine' }, ['CustomizeBigscreenTitle'], 'Platform'],
  [{ type: 2, bigscreenTitle: 'Mine' }, [], 'Platform'],
  [{ type: 2, bigscreenTitle: ' ' }, ['CustomizeBigscreenTitle'], 'Platform'],
  [null, [], 'Platform'],
])('the title for %o with %o is %s', (user, permissions, expected) => {
  expect(titleFor(user, permissions, 'Platform', 'Product')).toBe(expected);
});

test('looks: the product stands for what is not set, pictures are uploads of this cloud', () => {
  expect(titleFor(null, [], '', 'Product')).toBe('Product');
  expect(isOwnPicture(`/api/v1/file/${'a'.repeat(64)}`)).toBe(true);
  expect(isOwnPicture('https://elsewhere.example/a.png')).toBe(false);
  expect(isOwnPicture(`/api/v1/file/${'a'.repeat(64)}") , url(x`)).toBe(false);
  expect(['portal.example', '127.0.0.1', '[::1]', 'a_b'].map(domainOf)).toEqual([
    'portal.example',
    '127.0.0.1',
    'default',
    'default',
  ]);
});
