import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pageBefore } from '@/lib/listState';
import { statusOf } from '@/lib/statusCodes';

const SRC = new URL('../src/', import.meta.url);
/** Define the hooks; the shared page steps back where its rows are loaded. */
const ELSEWHERE = new Set([
  'components/usePages.ts',
  'components/useListState.ts',
  'components/resource/ResourcePage.tsx',
]);

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
const count = (text: string, what: RegExp): number => [...text.matchAll(what)].length;

test.each(
  files
    .filter((name) => !ELSEWHERE.has(name))
    .map((name) => [name, readFileSync(new URL(name, SRC), 'utf8')] as const)
    .filter(([, text]) => /\b(usePages|useListState)\(/.test(text)),
)('every paged list of %s steps back when its page became empty', (_name, text) => {
  const lists = count(text, /= use(Pages|ListState)\(/g);
  expect(count(text, /\buseStepBack\(/g)).toBe(lists);
});

test('lists of the shared page step back where their rows are loaded', () => {
  expect(readFileSync(new URL('components/resource/useRows.ts', SRC), 'utf8')).toContain('useStepBack(list');
});

test('the last row of page 3 went: page 2; all went: page 1; the first page stays', () => {
  expect([
    pageBefore(3, 0, 40, 20),
    pageBefore(3, 0, 0, 20),
    pageBefore(1, 0, 0, 20),
    pageBefore(3, 1, 41, 20),
  ]).toEqual([2, 1, null, null]);
});

test('levels of alarm handling are the specification’s: danger, success, info', () => {
  expect([0, 1, 2].map((code) => statusOf('alarmLog', code)?.tone)).toEqual(['bad', 'ok', 'info']);
});
