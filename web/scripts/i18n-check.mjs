// Both languages have the same keys with the same parameters; every key that is used exists; every key is used, with
// the parameters of its text; no Chinese stands in the code; no text has a word that src/i18n/banned.json bans, no Chinese text is English.
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const CJK = /[\u3400-\u9fff\uff00-\uffef]/;
/** 'ns:key' in any kind of quotes; in a template the part before the first placeholder. */
const KEY = /(['"`])([a-z][A-Za-z0-9-]*:[A-Za-z][A-Za-z0-9_.]*)(\$\{)?/g;

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
const REFUSAL = /^[A-Za-z-]+:refusal\./;

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

/** Chooses among the forms of a text, which have the key and a word behind it. */
const CONTEXT = 'context';

/** Options of i18next itself. */
const OPTIONS = new Set(['defaultValue', 'lng']);

/** Keys that an expression may be, as far as it names them: a text, or one of two by a condition. */
function keysOf(node) {
  if (ts.isStringLiteralLike(node)) return [node.text];
  return ts.isConditionalExpression(node) ? [...keysOf(node.whenTrue), ...keysOf(node.whenFalse)] : [];
}

/** Names in an object; null where they are not all written there. */
function namesOf(node) {
  if (node === undefined) return [];
  if (!ts.isObjectLiteralExpression(node)) return null;
  const names = node.properties.map(({ name }) => (name !== undefined && 'text' in name ? name.text : null));
  return names.includes(null) ? null : names.filter((name) => !OPTIONS.has(name));
}

/** What t() is called with: the key and the parameters; null for every other call. */
function callOf(node) {
  if (!ts.isCallExpression(node)) return null;
  const { expression: called } = node;
  const name = ts.isPropertyAccessExpression(called) ? called.name.text : ts.isIdentifier(called) && called.text;
  const [key, given] = node.arguments;
  return name === 't' && key !== undefined ? { key, names: namesOf(given) } : null;
}

/** The same of <Trans i18nKey values count context>; null where attributes are spread. */
function transOf(node) {
  if (!ts.isJsxSelfClosingElement(node) && !ts.isJsxOpeningElement(node)) return null;
  if (!ts.isIdentifier(node.tagName) || node.tagName.text !== 'Trans') return null;
  const { properties } = node.attributes;
  if (properties.some(ts.isJsxSpreadAttribute)) return null;
  const valueOf = ({ initializer: value }) =>
    value !== undefined && ts.isJsxExpression(value) ? value.expression : value;
  const of = new Map(properties.map((property) => [property.name.text, valueOf(property)]));
  const key = of.get('i18nKey');
  const names = namesOf(of.get('values'));
  const own = ['count', CONTEXT].filter((name) => of.has(name));
  return key === undefined ? null : { key, names: names === null ? null : [...names, ...own] };
}

/** Calls of t(), and elements of Trans, with the keys that they name and the parameters that they give. */
export function calls(text) {
  const found = [];
  const look = (node) => {
    const call = callOf(node) ?? transOf(node);
    if (call !== null && call.names !== null) found.push({ keys: keysOf(call.key), given: call.names });
    ts.forEachChild(node, look);
  };
  look(ts.createSourceFile('a.tsx', text, ts.ScriptTarget.Latest, false, ts.ScriptKind.TSX));
  return found;
}

const isFormOf = (form) => (key) => form.startsWith(`${key}_`);
const namesIn = (text) => parameters(text).split(' ').filter(Boolean);

/**
 * What calls give too little or too much for their texts, by key: a call of one key gives what its text asks for and
 * nothing else, one of several keys what any of them asks for. counted: keys that have a form for one.
 */
export function misfits(text, known, counted) {
  return calls(text).flatMap(({ keys, given }) => {
    const forms = given.includes(CONTEXT) ? [...known.keys()].filter((key) => keys.some(isFormOf(key))) : [];
    const asked = [...keys, ...forms].filter((key) => known.has(key)).map((key) => [key, namesIn(known.get(key))]);
    if (asked.length === 0) return [];
    const missing = asked.flatMap(([key, names]) =>
      names.filter((name) => !given.includes(name)).map((name) => `${key} is used without ${name}`),
    );
    const wanted = new Set(asked.flatMap(([key, names]) => (counted.has(key) ? [...names, 'count'] : names)));
    const idle = given.filter((name) => name !== CONTEXT && !wanted.has(name));
    return [...missing, ...idle.map((name) => `${asked[0][0]} has no ${name}, which is given`)];
  });
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
  const known = new Map();
  const counted = new Set();
  for (const [space, folder] of spaces) {
    const [zh, en] = [await texts(join(folder, 'zh.json')), await texts(join(folder, 'en.json'))];
    problems.push(...differences(space, zh, en), ...banned(space, 'zh', zh, words), ...banned(space, 'en', en, words));
    for (const [key, text] of flatten(zh)) known.set(`${space}:${key}`, text);
    for (const [key] of flatten(en)) if (key.endsWith(ONE)) counted.add(`${space}:${key.slice(0, -ONE.length)}`);
  }
  const whole = new Set();
  const starts = new Set();
  for (const entry of await readdir(src, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name) || entry.parentPath.includes('generated')) continue;
    const path = join(entry.parentPath, entry.name);
    const text = await readFile(path, 'utf8');
    if (CJK.test(text)) problems.push(`src/${relative(src, path)}: Chinese in the code; put it into the locales`);
    for (const misfit of misfits(text, known, counted)) problems.push(`src/${relative(src, path)}: ${misfit}`);
    const found = used(text, spaces);
    for (const key of found.whole) {
      whole.add(key);
      if (!known.has(key)) problems.push(`src/${relative(src, path)}: ${key} is in no locale`);
    }
    for (const key of found.starts) starts.add(key);
  }
  for (const key of known.keys()) {
    if (!REFUSAL.test(key) && !whole.has(key) && ![...starts].some((start) => key.startsWith(start)))
      problems.push(`${key} is not used`);
  }
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exit(1);
  console.log(`${known.size} keys in ${spaces.size} namespaces, zh and en alike`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
