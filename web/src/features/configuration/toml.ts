/** A text is not TOML. line and column count from 1. */
export class TomlError extends Error {
  override readonly name = 'TomlError';

  constructor(
    message: string,
    readonly line: number,
    readonly column: number,
  ) {
    super(message);
  }
}

type Table = Record<string, unknown>;

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\u001B',
  '"': '"',
  '\\': '\\',
};
const BARE = /[A-Za-z0-9_-]+/y;
const INTEGER = /^(?:[+-]?(?:0|[1-9](?:_?\d)*)|0x[\dA-Fa-f](?:_?[\dA-Fa-f])*|0o[0-7](?:_?[0-7])*|0b[01](?:_?[01])*)$/;
const FLOAT = /^[+-]?(?:0|[1-9](?:_?\d)*)(?:\.\d(?:_?\d)*)?(?:[eE][+-]?\d(?:_?\d)*)?$/;
const SCALAR = /[^\s,\]}#]+/y;

/** Read a configuration file. Dates are refused: no field of a configuration is one. TomlError says where it ends. */
export function parseToml(text: string): Table {
  return new Reader(text.replaceAll('\r\n', '\n')).document();
}

class Reader {
  private at = 0;
  private readonly root: Table = table();
  /** Tables that a header or a dotted key has made, and that may not be made again. */
  private readonly defined = new Set<unknown>();
  private readonly lists = new Set<unknown>();
  private readonly closed = new Set<unknown>();

  constructor(private readonly text: string) {}

  document(): Table {
    let here = this.root;
    for (;;) {
      this.skip(true);
      if (this.at >= this.text.length) return this.root;
      if (this.peek() === '[') here = this.header();
      else this.pair(here);
      this.skip(false);
      if (this.at < this.text.length && this.peek() !== '\n') this.fail('expected the end of the line');
    }
  }

  private header(): Table {
    const isList = this.text.startsWith('[[', this.at);
    this.at += isList ? 2 : 1;
    const path = this.path();
    if (!this.text.startsWith(isList ? ']]' : ']', this.at)) this.fail('expected ]');
    this.at += isList ? 2 : 1;
    const last = path.pop() ?? '';
    const parent = this.descend(this.root, path, false);
    const known = own(parent, last);
    if (isList) {
      if (known !== undefined && !this.lists.has(known)) this.fail(`${last} is there already`);
      const rows = (known ?? []) as Table[];
      this.lists.add(rows);
      const row = table();
      rows.push(row);
      put(parent, last, rows);
      return row;
    }
    if (known !== undefined && (!isTable(known) || this.defined.has(known) || this.closed.has(known))) {
      this.fail(`${last} is there already`);
    }
    const made = (known as Table | undefined) ?? table();
    this.defined.add(made);
    put(parent, last, made);
    return made;
  }

  private pair(here: Table): void {
    const path = this.path();
    if (this.peek() !== '=') this.fail('expected =');
    this.at += 1;
    this.blanks();
    const last = path.pop() ?? '';
    const parent = this.descend(here, path, true);
    if (own(parent, last) !== undefined) this.fail(`${last} is there already`);
    put(parent, last, this.value());
  }

  /** The table of a path, made where it is missing. */
  private descend(from: Table, path: readonly string[], dotted: boolean): Table {
    let here = from;
    for (const name of path) {
      let next = own(here, name);
      if (next === undefined) {
        next = table();
        if (dotted) this.defined.add(next);
        put(here, name, next);
      } else if (!dotted && this.lists.has(next)) {
        next = (next as Table[]).at(-1);
      }
      if (!isTable(next) || this.closed.has(next)) this.fail(`${name} is no table that can be added to`);
      here = next as Table;
    }
    return here;
  }

  private path(): string[] {
    const names: string[] = [];
    for (;;) {
      this.blanks();
      names.push(this.key());
      this.blanks();
      if (this.peek() !== '.') return names;
      this.at += 1;
    }
  }

  private key(): string {
    if (this.peek() === '"') return this.basic();
    if (this.peek() === "'") return this.literal();
    const found = this.match(BARE);
    return found === null ? this.fail('expected a name') : found;
  }

  private value(): unknown {
    const first = this.peek();
    if (first === '"') return this.text.startsWith('"""', this.at) ? this.basicLines() : this.basic();
    if (first === "'") return this.text.startsWith("'''", this.at) ? this.literalLines() : this.literal();
    if (first === '[') return this.list();
    if (first === '{') return this.inline();
    const begin = this.at;
    const word = this.match(SCALAR) ?? this.fail('expected a value');
    if (word === 'true' || word === 'false') return word === 'true';
    if (INTEGER.test(word) || FLOAT.test(word)) return Number(word.replaceAll('_', '').replace(/^\+/, ''));
    this.at = begin;
    return this.fail(/^\d{2,4}[-:]/.test(word) ? 'dates are not used in a configuration' : `${word} is no value`);
  }

  private list(): unknown[] {
    this.at += 1;
    const items: unknown[] = [];
    for (;;) {
      this.skip(true);
      if (this.take(']')) break;
      items.push(this.value());
      this.skip(true);
      if (this.take(']')) break;
      if (!this.take(',')) this.fail('expected , or ]');
    }
    this.closed.add(items);
    return items;
  }

  private inline(): Table {
    this.at += 1;
    const made = table();
    this.blanks();
    if (this.take('}')) return this.close(made);
    for (;;) {
      this.pair(made);
      this.blanks();
      if (this.take('}')) return this.close(made);
      if (!this.take(',')) this.fail('expected , or }');
      this.blanks();
    }
  }

  private close(made: Table): Table {
    this.closed.add(made);
    return made;
  }

  private basic(): string {
    this.at += 1;
    let out = '';
    for (;;) {
      const char = this.character();
      if (char === '"') return out;
      if (char === '\n') this.fail('the text does not end on its line', -1);
      out += char === '\\' ? this.escape() : char;
    }
  }

  private basicLines(): string {
    this.open(3);
    let out = '';
    for (;;) {
      const quotes = this.match(/"+/y);
      if (quotes !== null) {
        if (quotes.length >= 3) return this.end(out, quotes, '"');
        out += quotes;
        continue;
      }
      const char = this.character();
      if (char !== '\\') out += char;
      else if (this.match(/[ \t]*\n\s*/y) === null) out += this.escape();
    }
  }

  private literal(): string {
    const found = this.match(/'[^'\n]*'/y) ?? this.fail('the text does not end on its line');
    return found.slice(1, -1);
  }

  private literalLines(): string {
    this.open(3);
    const found = this.match(/[^]*?'{3,5}/y) ?? this.fail('the text does not end');
    const quotes = /'+$/.exec(found)?.[0] ?? '';
    return this.end(found.slice(0, -quotes.length), quotes, "'");
  }

  /** Up to two quotes may stand before the three that end a text. */
  private end(out: string, quotes: string, quote: string): string {
    if (quotes.length > 5) this.fail('too many quotes');
    return out + quote.repeat(quotes.length - 3);
  }

  private open(quotes: number): void {
    this.at += quotes;
    if (this.peek() === '\n') this.at += 1;
  }

  private escape(): string {
    const char = this.character();
    const hex = char === 'u' ? this.match(/[\dA-Fa-f]{4}/y) : char === 'U' ? this.match(/[\dA-Fa-f]{8}/y) : null;
    if (hex !== null) {
      const point = Number.parseInt(hex, 16);
      if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) this.fail(`\\${char}${hex} is no character`);
      return String.fromCodePoint(point);
    }
    return ESCAPES[char] ?? this.fail(`\\${char} means nothing`);
  }

  private character(): string {
    const char = this.text[this.at] ?? this.fail('the text does not end');
    this.at += 1;
    return char;
  }

  private peek(): string {
    return this.text[this.at] ?? '';
  }

  private take(char: string): boolean {
    if (this.peek() !== char) return false;
    this.at += 1;
    return true;
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    if (found !== null) this.at += found.length;
    return found;
  }

  private blanks(): void {
    this.match(/[ \t]*/y);
  }

  /** Blanks and comments, and the ends of lines too where they mean nothing. */
  private skip(lines: boolean): void {
    this.match(lines ? /(?:\s|#[^\n]*)*/y : /[ \t]*(?:#[^\n]*)?/y);
  }

  private fail(message: string, back = 0): never {
    const before = this.text.slice(0, this.at + back).split('\n');
    throw new TomlError(message, before.length, (before.at(-1) ?? '').length + 1);
  }
}

/** '__proto__' in a file is a name as any other. */
const table = (): Table => Object.create(null) as Table;
const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const own = (from: Table, name: string): unknown => from[name];
const put = (into: Table, name: string, value: unknown): void => void (into[name] = value);
