import document from '@/api/forwarders.json';

export interface Words {
  zh: string;
  en: string;
}

export type FieldKind = 'switch' | 'integer' | 'number' | 'text' | 'choice' | 'choices' | 'texts' | 'pairs' | 'rows';
export type Row = Readonly<Record<string, unknown>>;

/** A field of a target, or a column of its rows, as the agent's packages describe it. */
export interface FormField extends Words {
  name: string;
  kind: FieldKind;
  required: boolean;
  /** Nothing is a value of it. */
  optional: boolean;
  default: unknown;
  section?: string;
  hint?: Words;
  picker?: 'point' | 'code';
  suggest?: 'point_name';
  more?: boolean;
  secret?: boolean;
  unique?: readonly string[];
  columns?: readonly FormField[];
  choices?: readonly (Words & { value: string | number })[];
  min?: number;
  max?: number;
  pattern?: string;
  min_length?: number;
  max_length?: number;
  min_items?: number;
  max_items?: number;
}

export interface Code extends Words {
  code: string;
  units?: readonly string[];
  /** Further names and abbreviations. */
  also?: readonly string[];
}

/** What a reason of the agent means. page: it is mended on the gateway's own page. */
export interface Fault extends Words {
  pattern: string;
  fields?: readonly string[];
  page?: boolean;
}

export interface KindForm {
  title: Words;
  fields: readonly FormField[];
  codes: { by: string; entries: Readonly<Record<string, readonly Code[]>> } | null;
  faults: readonly Fault[];
  rules: readonly (Words & { pattern: string })[];
}

interface Document {
  sections: readonly (Words & { name: string })[];
  fields: readonly FormField[];
  kinds: Readonly<Record<string, KindForm>>;
}

const { sections, fields, kinds } = document as unknown as Document;

export const SECTIONS = sections;
/** Fields that a target of every kind has. */
export const COMMON = fields;
export const KINDS: readonly string[] = Object.keys(kinds);

/** Undefined for a kind that this portal does not know. */
export const formOf = (kind: string): KindForm | undefined => kinds[kind];

/** Faults that a reason names, the most certain first. */
export function faultsIn(kind: string, reason: string): readonly Fault[] {
  return (formOf(kind)?.faults ?? []).filter(({ pattern }) => new RegExp(pattern).test(reason));
}

/** A rule that the kind alone has, in words; null for others. */
export function kindRule(kind: string, rule: string, language: string): string | null {
  for (const { pattern, zh, en } of formOf(kind)?.rules ?? []) {
    const match = new RegExp(pattern).exec(rule);
    if (match !== null)
      return (language.startsWith('zh') ? zh : en).replaceAll(
        /\{\{(\w+)\}\}/g,
        (_all, name: string) => match.groups?.[name] ?? '',
      );
  }
  return null;
}
