import type { ScriptFields, TryBody } from '@/api/generated/types.gen';

export type Scalar = number | string | boolean | null;

/** "name = value" line by line; faulty: the first line (from 1) that is none. */
export function pairsOf(text: string): { pairs: Record<string, string>; faulty: number | null } {
  const pairs: Record<string, string> = {};
  let faulty: number | null = null;
  text.split('\n').forEach((line, at) => {
    if (line.trim() === '') return;
    const [, name, value] = /^\s*([A-Za-z][\w.-]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined || name in pairs) faulty ??= at + 1;
    else pairs[name] = value;
  });
  return { pairs, faulty };
}

export const linesOf = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values).map(([name, value]) => `${name} = ${typeof value === 'string' ? value : JSON.stringify(value)}`).join('\n');

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

export const draftOf = ({ name, slave, text, inputs = {}, state = {}, capture_freq = 1, timeout_ms = 50 }: ScriptFields): ScriptDraft => ({
  name, slave, text, inputs: linesOf(inputs), state: linesOf(state), capture_freq, timeout_ms,
});

export const bodyOf = ({ inputs, state, capture_freq, timeout_ms, ...rest }: ScriptDraft): ScriptFields => ({
  ...rest, inputs: pairsOf(inputs).pairs, state: scalarsOf(pairsOf(state).pairs), capture_freq: Number(capture_freq), timeout_ms: Number(timeout_ms),
});

/** values: of the inputs, as lines; outputs: the points that name the script, else the names that it assigns. */
export function tryOf(draft: ScriptDraft, values: string, outputs: readonly string[]): TryBody {
  const { inputs = {}, state, text, timeout_ms } = bodyOf(draft);
  const given = scalarsOf(pairsOf(values).pairs);
  const named = outputs.length > 0 ? outputs : assigned(text).filter((name) => !(name in (state ?? {})) && !(name in inputs));
  return { kind: 'script', text, inputs: Object.fromEntries(Object.keys(inputs).map((name) => [name, given[name] ?? null])), outputs: [...named], state, timeout_ms };
}

/** Names at the left of an assignment, each once. */
export function assigned(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/^\s*([A-Za-z]\w*)\s*(?:[-+*/]|\/\/)?=(?!=)/gm)].map(([, name = '']) => name))];
}
