import { expect, test } from 'vitest';
import { acceptOf, bytesText, formOf, UPLOAD_RULES, uploadFault } from '@/lib/uploads';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each([
  [new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), 'png'],
  [new Uint8Array([0xff, 0xd8, 0xff, 0xe0]), 'jpg'],
  [bytes('GIF89a'), 'gif'],
  [bytes('\ufeff<?xml version="1.0"?><!-- x --><svg xmlns="a">'), 'svg'],
  [bytes('<html><body>'), null],
  [bytes('svg'), null],
  [new Uint8Array(), null],
])('form of bytes %#', (head, form) => {
  expect(formOf(head)).toBe(form);
});

test('the rules are those of the specification', () => {
  expect(UPLOAD_RULES.background).toMatchObject({ forms: ['jpg', 'png', 'svg'], maxBytes: 1_048_576 });
  expect(UPLOAD_RULES.logo).toMatchObject({ forms: ['png'], maxBytes: 1_048_576, side: [50, 200] });
  expect(UPLOAD_RULES.carousel).toMatchObject({ forms: ['png'], maxBytes: 102_400 });
  expect(UPLOAD_RULES.icon).toMatchObject({ forms: ['svg', 'png', 'jpg', 'gif'], maxBytes: 20_480 });
  expect(acceptOf(UPLOAD_RULES.background)).toBe('image/jpeg,image/png,image/svg+xml');
});

test.each([
  ['icon', { size: 20_480, form: 'gif', pixels: null }, undefined],
  ['icon', { size: 20_481, form: 'gif', pixels: null }, 'size'],
  ['icon', { size: 0, form: null, pixels: null }, 'size'],
  ['carousel', { size: 10, form: 'jpg', pixels: null }, 'form'],
  ['carousel', { size: 10, form: null, pixels: null }, 'form'],
  ['logo', { size: 10, form: 'png', pixels: { width: 50, height: 50 } }, undefined],
  ['logo', { size: 10, form: 'png', pixels: { width: 200, height: 200 } }, undefined],
  ['logo', { size: 10, form: 'png', pixels: { width: 49, height: 49 } }, 'side'],
  ['logo', { size: 10, form: 'png', pixels: { width: 201, height: 201 } }, 'side'],
  ['logo', { size: 10, form: 'png', pixels: { width: 100, height: 101 } }, 'side'],
] as const)('%s with %j: %s', (kind, file, reason) => {
  expect(uploadFault(UPLOAD_RULES[kind], file)?.reason).toBe(reason);
});

test('sizes in words', () => {
  expect([20_480, 102_400, 1_048_576].map(bytesText)).toEqual(['20 KB', '100 KB', '1 MB']);
});
