import { expect, test } from 'vitest';
import { currentLanguage, languageOf } from '@/lib/preferences';

test.each([
  ['en', 'en'], ['en-US', 'en'], ['EN-gb', 'en'], ['zh-CN', 'zh'], ['de-DE', 'zh'], ['enq', 'zh'], [undefined, 'zh'],
] as const)('a browser in %s begins in %s', (browser, language) => {
  expect(languageOf(browser)).toBe(language);
});

test('what was chosen wins', () => {
  expect([currentLanguage({ language: 'zh' }), currentLanguage({ language: 'en' })]).toEqual(['zh', 'en']);
});
