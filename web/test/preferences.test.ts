import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { currentLanguage, DEFAULT_SIZE, SIZES, usePreferences } from '@/lib/preferences';

test.each(['en', 'en-US', 'EN-gb', 'zh-CN', 'de-DE', undefined])('a browser in %s begins in Chinese', (browser) => {
  vi.stubGlobal('navigator', { language: browser, languages: [browser] });
  expect(currentLanguage()).toBe('zh');
  vi.unstubAllGlobals();
});

test('what was chosen wins', () => {
  expect([currentLanguage({ language: 'zh' }), currentLanguage({ language: 'en' })]).toEqual(['zh', 'en']);
});

test('sizes are those that the cloud keeps; medium without a choice, and only the others change the sheet', () => {
  const { components } = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
  const kept = components.schemas.Preferences.properties.size.anyOf.flatMap(
    (each: { enum?: string[] }) => each.enum ?? [],
  );
  expect([...SIZES].sort()).toEqual(kept.sort());
  expect([DEFAULT_SIZE, usePreferences.getState().size]).toEqual(['medium', 'medium']);
  const sheet = readFileSync(new URL('../src/app/theme/base.css', import.meta.url), 'utf8');
  const styled = [...sheet.matchAll(/:root\[data-size='(\w+)'\]/g)].map(([, size]) => size);
  expect(styled.sort()).toEqual(SIZES.filter((size) => size !== DEFAULT_SIZE).sort());
});
