import type { ScriptFields, TryBody } from '@/api/generated/types.gen';

const INPUT = /^\s*([A-Za-z][\w.-]*)\s*=\s*(.*?)\s*$/;
/** Of a point: its name may begin with a digit or _. */
export const POINT = /^\s*(\w[\w.-]*)\s*=\s*(.*?)\s*$/;

export type Scalar = number | string | boolean | null;

/** "name = value" line by line; faulty: the first line (from 1) that is none. */
export function pairsOf(text: string, form = INPUT): { pairs: Record<string, string>; faulty: number | null } {
  const pairs: Record<string, string> = {};
  let faulty: number | null = null;
  text.split('\n').forEach((each, at) => {
    if (each.trim() === '') return;
    const [, name, value] = form.exec(each) ?? [];
    if (name === undefined || value === undefined || name in pairs) faulty ??= at + 1;
    else pairs[name] = value;
  });
  return { pairs, faulty };
}

export const linesOf = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} = ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');

/** A number, true, false, nothing, or a text. */
export function scalarOf(said: string): Scalar {
  if (said === '' || said === 'null' || said === 'None') return null;
  if (said === 'true' || said === 'false') return said === 'true';
  const number = Number(said);
  return Number.isFinite(number) ? number : said.replace(/^(["'])(.*)\1$/, '$2');
}

export const scalarsOf = (pairs: Readonly<Record<string, string>>): Record<string, Scalar> =>
  Object.fromEntries(Object.entries(pairs).map(([name, said]) => [name, scalarOf(said)]));

export interface ScriptDraft {
  name: string;
  slave: string;
  text: string;
  inputs: string;
  state: string;
  capture_freq: number | string;
  timeout_ms: number | string;
}

export const draftOf = ({
  name,
  slave,
  text,
  inputs = {},
  state = {},
  capture_freq = 1,
  timeout_ms = 50,
}: ScriptFields): ScriptDraft => ({
  name,
  slave,
  text,
  inputs: linesOf(inputs),
  state: linesOf(state),
  capture_freq,
  timeout_ms,
});

export const bodyOf = ({ inputs, state, capture_freq, timeout_ms, ...rest }: ScriptDraft): ScriptFields => ({
  ...rest,
  inputs: pairsOf(inputs).pairs,
  state: scalarsOf(pairsOf(state).pairs),
  capture_freq: Number(capture_freq),
  timeout_ms: Number(timeout_ms),
});

/** values: of the inputs, as lines; outputs: the points that name the script, else the names that it assigns. */
export function tryOf(draft: ScriptDraft, values: string, outputs: readonly string[]): TryBody {
  const { inputs = {}, state, text, timeout_ms } = bodyOf(draft);
  const given = scalarsOf(pairsOf(values).pairs);
  const named =
    outputs.length > 0 ? outputs : assigned(text).filter((name) => !(name in (state ?? {})) && !(name in inputs));
  return {
    kind: 'script',
    text,
    inputs: Object.fromEntries(Object.keys(inputs).map((name) => [name, given[name] ?? null])),
    outputs: [...named],
    state,
    timeout_ms,
  };
}

/** Names at the left of an assignment, each once. */
export function assigned(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/^\s*([A-Za-z]\w*)\s*(?:[-+*/]|\/\/)?=(?!=)/gm)].map(([, name = '']) => name))];
}

const WORDS =
  /"[^"]*"|'[^']*'|\{([^{}]*)\}|(?:0[xXbB][\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*(?:\.\w[\w-]*)?)(\s*\()?/g;
const NO_REFERENCES = new Set(['and', 'or', 'not', 'if', 'else', 'in', 'True', 'False', 'pi']);

/** Points that a formula names, each once: "point", or "slave.point". What they mean is the gateway's to say. */
export function referencesOf(formula: string): readonly string[] {
  const names = [...formula.matchAll(WORDS)].flatMap(([, brace, name, call]) => {
    if (brace !== undefined) return brace.trim();
    return name === undefined || call !== undefined || NO_REFERENCES.has(name) ? [] : name;
  });
  return [...new Set(names.filter((name) => name !== ''))];
}

/** Lines of sample values. references: points by name of the input; values: by "slave.point"; without one the line is kept, or 0. */
export function samplesOf(
  references: Readonly<Record<string, string>>,
  slave: string,
  values: ReadonlyMap<string, unknown>,
  now = '',
): string {
  const { pairs } = pairsOf(now, POINT);
  const lines = Object.entries(references).map(([name, point]) => {
    const value = values.get(`${slave}.${point}`) ?? values.get(point);
    return value === undefined || value === null ? `${name} = ${pairs[name] ?? '0'}` : linesOf({ [name]: value });
  });
  return lines.join('\n');
}

/** As samplesOf, for values that arrive late: lines that differ from those of the request are what the user typed since, and stay. */
export function takenInto(
  references: Readonly<Record<string, string>>,
  slave: string,
  values: ReadonlyMap<string, unknown>,
  requested: string,
  now: string,
): string {
  if (now === requested) return samplesOf(references, slave, values, now);
  const before = pairsOf(requested, POINT).pairs;
  const lines = now.split('\n').map((line) => {
    const [name = '', said] = Object.entries(pairsOf(line, POINT).pairs)[0] ?? [];
    const point = references[name];
    return point === undefined || said !== before[name] ? line : samplesOf({ [name]: point }, slave, values, line);
  });
  return lines.join('\n');
}

export function formulaOf(text: string, values: string): TryBody {
  const given = scalarsOf(pairsOf(values, POINT).pairs);
  return {
    kind: 'formula',
    text,
    inputs: Object.fromEntries(referencesOf(text).map((name) => [name, given[name] ?? null])),
  };
}
