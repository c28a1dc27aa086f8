import { ROW_SECTIONS } from '@/lib/document/rows';
import type { Document } from './api';
import { parseToml, UnreadableToml } from './toml';

/** Where a text cannot be read, from 1. line 0: the place is not known. */
export interface Unread {
  line: number;
  column: number;
  message: string;
}

export type Read = { document: Document } | { unread: Unread } | { inexact: string };

const SECTIONS = [
  'gateway',
  'cloud',
  'local_page',
  'storage',
  'collection',
  'reporting',
  'history',
  'tunnels',
  'cellular',
  'system',
  ...ROW_SECTIONS,
];
const FIRST = ['id', 'name', 'slave', 'title', 'type', 'port', 'protocol', 'data_type'];

const isTable = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function sorted(value: unknown, first: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => sorted(item, FIRST));
  if (!isTable(value)) return value;
  const rank = (name: string): number => (first.indexOf(name) + 1 || first.length + 1) - 1;
  const names = Object.keys(value).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return Object.fromEntries(names.map((name) => [name, sorted(value[name], FIRST)]));
}

/** The document in an order in which a person looks for things: sections as in gateway.toml, names first. */
export function arranged(document: Document): Document {
  return sorted(document, SECTIONS) as Document;
}

export function printed(document: Document): string {
  return JSON.stringify(arranged(document), null, 2);
}

/** Read JSON, or what the file's name says to be TOML. */
export function readText(text: string, name = ''): Read {
  try {
    const value: unknown = /\.toml$/i.test(name) ? parseToml(text) : JSON.parse(text);
    if (!isTable(value)) return { unread: { line: 1, column: 1, message: 'object' } };
    const inexact = firstInexact(value, '');
    return inexact === null ? { document: value } : { inexact };
  } catch (error) {
    if (error instanceof UnreadableToml)
      return { unread: { line: error.line, column: error.column, message: error.message } };
    if (error instanceof SyntaxError) return { unread: placeOf(error.message, text) };
    throw error;
  }
}

/** Engines say the place of a JSON error in their own words. */
function placeOf(message: string, text: string): Unread {
  const named = /line (\d+) column (\d+)/.exec(message);
  if (named !== null) return { line: Number(named[1]), column: Number(named[2]), message };
  const position = /position (\d+)/.exec(message);
  const at = position === null ? (isCutShort(message) ? text.length : firstOdd(text)) : Number(position[1]);
  if (at === null) return { line: 0, column: 0, message };
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1, message };
}

const isCutShort = (message: string): boolean => /end of JSON|Unexpected EOF/i.test(message);

const TOKEN = /\s*([{}[\],:]|"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true\b|false\b|null\b)/y;

/** Where something stands that no value begins with: Chromium names the character, and not its place. */
function firstOdd(text: string): number | null {
  let before = '';
  for (let at = 0; ; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[1];
    const blanks = text.slice(at).search(/\S/);
    if (token === undefined) return blanks < 0 ? null : at + blanks;
    const isValueDue = before === ':' || before === ',' || (before === '[' && token !== ']');
    if (isValueDue && /^[}\],:]$/.test(token)) return at + blanks;
    before = token;
  }
}

/** Path of the first whole number that a browser cannot hold exactly; null when there is none. */
export function firstInexact(value: unknown, path: string): string | null {
  if (typeof value === 'bigint') return path;
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value) ? path : null;
  if (Array.isArray(value)) return firstOf(value.map((item, at) => [`${path}[${at}]`, item]));
  return isTable(value)
    ? firstOf(Object.entries(value).map(([name, item]) => [path === '' ? name : `${path}.${name}`, item]))
    : null;
}

function firstOf(items: readonly (readonly [string, unknown])[]): string | null {
  for (const [path, item] of items) {
    const inexact = firstInexact(item, path);
    if (inexact !== null) return inexact;
  }
  return null;
}

/** 'document.points[3].name' as the cloud names it, without its first word. */
export function pathOf(field: string): string {
  return field.replace(/^document\.?/, '');
}

/** Line, from 1, on which printed() begins a field; of its nearest parent when the field is absent. */
export function lineOf(document: Document, path: string): number {
  let value: unknown = arranged(document);
  let line = 1;
  for (const [, name, index] of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    const entries: [string, unknown][] = Array.isArray(value)
      ? value.map((item, at) => [String(at), item])
      : isTable(value)
        ? Object.entries(value)
        : [];
    const at = entries.findIndex(([key]) => key === (name ?? index));
    if (at < 0) return line;
    line += 1 + entries.slice(0, at).reduce((sum, [, item]) => sum + height(item), 0);
    value = entries[at]?.[1];
  }
  return line;
}

/** Lines that printed() gives a value. */
function height(value: unknown): number {
  const items = Array.isArray(value) ? value : isTable(value) ? Object.values(value) : [];
  return items.length === 0 ? 1 : items.reduce<number>((sum, item) => sum + height(item), 2);
}
