// Both languages have the same keys with the same parameters; every key that is used exists; every key is used;
// no Chinese stands in the code; no text has a word that src/i18n/banned.json bans, no Chinese text is English.
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const CJK = /[\u3400-\u9fff\uff00-\uffef]/;
/** 'ns:key' in any kind of quotes; in a template the part before the first placeholder. */
const KEY = /(['"`])([a-z][A-Za-z0-9]*:[A-Za-z][A-Za-z0-9_.]*)(\$\{)?/g;

export function flatten(texts, prefix = '') {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [[prefix + key, value]] : flatten(value, `${prefix}${key}.`),
  );
}

export function parameters(text) {
  return [...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)]
    .map((match) => match[1])
    .sort()
    .join(' ');
}

/** English has a form of its own for one; Chinese has none. */
const ONE = '_one';

/** Words of the cloud's reasons, in any namespace: src/components/refusal.ts looks for them by code. */
const REFUSAL = /^[A-Za-z]+:refusal\./;

/** What is wrong between two languages of a namespace. */
export function differences(space, zh, en) {
  const [left, right] = [new Map(flatten(zh)), new Map(flatten(en))];
  const found = [];
  for (const [key, text] of left) {
    if (!right.has(key)) found.push(`${space}:${key} is missing in en`);
    else if (parameters(text) !== parameters(right.get(key))) found.push(`${space}:${key} has other parameters in en`);
    if (text.trim() === '') found.push(`${space}:${key} is empty in zh`);
  }
  for (const [key, text] of right) {
    const isSingular = !left.has(key) && key.endsWith(ONE) && left.has(key.slice(0, -ONE.length));
    if (!left.has(key) && !isSingular) found.push(`${space}:${key} is missing in zh`);
    if (isSingular && parameters(text) !== parameters(left.get(key.slice(0, -ONE.length))))
      found.push(`${space}:${key} has other parameters in en`);
    if (text.trim() === '') found.push(`${space}:${key} is empty in en`);
    if (CJK.test(text) && key !== 'language.zh') found.push(`${space}:${key} is not English in en`);
  }
  return found;
}

/** Texts with banned words (regular expressions), and Chinese ones that are English beyond the names allowed there. */
export function banned(space, language, texts, words) {
  const found = [];
  for (const [key, text] of flatten(texts)) {
    if (key === 'language.zh' || key === 'language.en') continue;
    for (const word of words[language]) {
      if (new RegExp(word).test(text)) found.push(`${space}:${key} has the banned word ${word} in ${language}`);
    }
    if (language === 'zh' && isEnglish(text, words.zhLatin)) found.push(`${space}:${key} is English in zh`);
  }
  return found;
}

/** Two words of letters in a row, or a text without Chinese, none of whose words is an allowed name. */
function isEnglish(text, allowed) {
  const plain = text.replace(/\{\{.*?\}\}|<code>.*?<\/code>/g, '');
  const latin = (/** @type {string} */ part) =>
    (part.match(/[A-Za-z][A-Za-z-]+/g) ?? []).some((word) => !allowed.includes(word));
  if (!CJK.test(plain)) return (plain.match(/[A-Za-z]{3,}/g) ?? []).length > 0 && latin(plain);
  return (plain.match(/[A-Za-z-]{2,}(?: [A-Za-z-]{2,})+/g) ?? []).some(latin);
}

/** Keys that a source text names: whole ones, and beginnings that end in a placeholder. */
export function used(text, spaces) {
  const whole = new Set();
  const starts = new Set();
  for (const [, , key, placeholder] of text.matchAll(KEY)) {
    if (!spaces.has(key.split(':')[0])) continue;
    if (placeholder === undefined && !key.endsWith('.')) whole.add(key);
    else starts.add(key);
  }
  return { whole, starts };
}

async function texts(path) {
  return JSON.parse(await readFile(path, 'utf8'));
}

async function namespaces(src) {
  const spaces = new Map([['base', join(src, 'i18n', 'locales')]]);
  for (const entry of await readdir(join(src, 'features'), { withFileTypes: true })) {
    if (entry.isDirectory()) spaces.set(entry.name, join(src, 'features', entry.name, 'locales'));
  }
  return spaces;
}

async function main() {
  const src = fileURLToPath(new URL('../src/', import.meta.url));
  const spaces = await namespaces(src);
  const words = await texts(join(src, 'i18n', 'banned.json'));
  const problems = [];
  const known = new Set();
  for (const [space, folder] of spaces) {
    const [zh, en] = [await texts(join(folder, 'zh.json')), await texts(join(folder, 'en.json'))];
    problems.push(...differences(space, zh, en), ...banned(space, 'zh', zh, words), ...banned(space, 'en', en, words));
    for (const [key] of flatten(zh)) known.add(`${space}:${key}`);
  }
  const whole = new Set();
  const starts = new Set();
  for (const entry of await readdir(src, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name) || entry.parentPath.includes('generated')) continue;
    const path = join(entry.parentPath, entry.name);
    const text = await readFile(path, 'utf8');
    if (CJK.test(text)) problems.push(`src/${relative(src, path)}: Chinese in the code; put it into the locales`);
    const found = used(text, spaces);
    for (const key of found.whole) {
      whole.add(key);
      if (!known.has(key)) problems.push(`src/${relative(src, path)}: ${key} is in no locale`);
    }
    for (const key of found.starts) starts.add(key);
  }
  for (const key of known) {
    if (!REFUSAL.test(key) && !whole.has(key) && ![...starts].some((start) => key.startsWith(start)))
      problems.push(`${key} is not used`);
  }
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exit(1);
  console.log(`${known.size} keys in ${spaces.size} namespaces, zh and en alike`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
