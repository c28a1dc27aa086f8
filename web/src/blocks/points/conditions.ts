/** Conditions of the protocols' document, a subset of JsonLogic; the cloud evaluates the same (points/conditions.py). */

export type Facts = Readonly<Record<string, unknown>>;
export type Condition = unknown;
type Compiled = (facts: Facts) => unknown;

/** A fault of a field while `when` holds. field: as the agent names it, such as address.offset. */
export interface Rule {
  field: string;
  code: string;
  when: Condition;
  args: Readonly<Record<string, Condition>>;
  level: 'error' | 'warning';
}

/** Of each check the first rule that holds is reported. */
export type Checks = readonly (readonly Rule[])[];

const isNumber = (value: unknown): value is number => typeof value === 'number';
const compared =
  (holds: (left: number, right: number) => boolean) =>
  (left: unknown, right: unknown): boolean =>
    isNumber(left) && isNumber(right) && holds(left, right);
const counted =
  (count: (left: number, right: number) => number | null) =>
  (left: unknown, right: unknown): number | null =>
    isNumber(left) && isNumber(right) ? count(left, right) : null;

/** Texts are matched whole. */
function makeMatcher(): (text: unknown, pattern: unknown) => boolean {
  const known = new Map<string, RegExp>();
  return (text, pattern) => {
    const source = String(pattern);
    const compiled = known.get(source) ?? new RegExp(`^(?:${source})$`);
    known.set(source, compiled);
    return typeof text === 'string' && compiled.test(text);
  };
}

export const isMatch = makeMatcher();

const EAGER: Readonly<Record<string, (left: unknown, right: unknown) => unknown>> = {
  '!': (value) => !value,
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  in: (value, choices) => (choices as readonly unknown[]).includes(value),
  '<': compared((left, right) => left < right),
  '<=': compared((left, right) => left <= right),
  '>': compared((left, right) => left > right),
  '>=': compared((left, right) => left >= right),
  '+': counted((left, right) => left + right),
  '-': counted((left, right) => left - right),
  '*': counted((left, right) => left * right),
  '/': counted((left, right) => (right === 0 ? null : left / right)),
  '%': counted((left, right) => (right === 0 ? null : left % right)),
  max: counted(Math.max),
  matches: isMatch,
};

const LAZY: Readonly<Record<string, (parts: readonly Compiled[]) => Compiled>> = {
  and: (parts) => (facts) => parts.every((part) => Boolean(part(facts))),
  or: (parts) => (facts) => {
    let value: unknown = null;
    for (const part of parts) {
      value = part(facts);
      if (value) break;
    }
    return value;
  },
  if:
    ([test, then, otherwise]) =>
    (facts) =>
      test?.(facts) ? then?.(facts) : otherwise?.(facts),
};

/** A condition as a function of facts; an unknown operator is an error. */
export function compiled(condition: Condition): Compiled {
  if (Array.isArray(condition)) {
    const values = condition.map(compiled);
    return (facts) => values.map((value) => value(facts));
  }
  if (typeof condition !== 'object' || condition === null) return () => condition;
  const [name = '', given] = Object.entries(condition)[0] ?? [];
  if (name === 'var') return (facts) => facts[String(given)] ?? null;
  const parts = (given as readonly Condition[]).map(compiled);
  const lazy = LAZY[name];
  if (lazy !== undefined) return lazy(parts);
  const apply = EAGER[name];
  if (apply === undefined) throw new Error(`'${name}' is no operator of a condition`);
  const [left, right] = parts;
  return (facts) => apply(left?.(facts), right?.(facts));
}

export interface Broken {
  field: string;
  code: string;
  args: Readonly<Record<string, string | number>>;
  level: Rule['level'];
}

/** The rules that facts break, in the order of the checks. */
export function makeCheck(checks: Checks): (facts: Facts) => Broken[] {
  const made = checks.map((rules) =>
    rules.map(({ field, code, when, args, level }) => ({
      holds: compiled(when),
      tell: (facts: Facts): Broken => ({
        field,
        code,
        args: Object.fromEntries(
          Object.entries(args).map(([name, value]) => [name, compiled(value)(facts) as string | number]),
        ),
        level,
      }),
    })),
  );
  return (facts) =>
    made.flatMap((rules) => {
      const rule = rules.find(({ holds }) => Boolean(holds(facts)));
      return rule === undefined ? [] : [rule.tell(facts)];
    });
}
