import { parse, TomlDate, TomlError } from 'smol-toml';

/** A text is not TOML, or not a configuration. line and column count from 1; line 0: the place is not known. */
export class UnreadableToml extends Error {
  override readonly name = 'UnreadableToml';

  constructor(
    message: string,
    readonly line: number,
    readonly column: number,
  ) {
    super(message);
  }
}

/**
 * Read a configuration file; integers beyond 2**53 are bigint. UnreadableToml: it is not TOML, or it holds what a
 * configuration cannot (a date, inf, nan); the parser does not say on which line a value stood, so the field is named.
 */
export function parseToml(text: string): Record<string, unknown> {
  const document = read(text);
  const fault = notJson(document, '');
  if (fault !== null) throw new UnreadableToml(fault, 0, 0);
  return document;
}

function read(text: string): Record<string, unknown> {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // "Invalid TOML document: <reason>\n\n<excerpt of the text>"
    const reason = error.message.split('\n', 1)[0]?.replace(/^Invalid TOML document: /, '') ?? '';
    throw new UnreadableToml(reason, error.line, error.column);
  }
}

/** The first field with a value that JSON cannot hold, and what it is; null when there is none. */
function notJson(value: unknown, path: string): string | null {
  if (value instanceof TomlDate) return `${path}: dates are not used in a configuration`;
  if (typeof value === 'number') return Number.isFinite(value) ? null : `${path}: must be a finite number`;
  if (typeof value !== 'object' || value === null) return null;
  const inner = (name: string): string => (Array.isArray(value) ? `[${name}]` : path === '' ? name : `.${name}`);
  for (const [name, item] of Object.entries(value)) {
    const fault = notJson(item, path + inner(name));
    if (fault !== null) return fault;
  }
  return null;
}
