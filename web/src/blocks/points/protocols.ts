import document from '@/api/protocols.json';
import type { Checks, Condition } from './conditions';

export interface Words {
  zh: string;
  en: string;
}

/** What a protocol's package tells of it beside what the API serves; scripts/generate writes the document. */
export interface Description {
  title: Words;
  short: string;
  stem: string;
  slave_address: { label: Words; hint: Words; pattern: string | null };
  reads_pairs: boolean;
  missing_types: Readonly<Record<string, 'error' | 'warning'>>;
  choice_titles: Readonly<Record<string, Readonly<Record<string, string>>>>;
  variant: { option: string; protocols: Readonly<Record<string, string>> } | null;
  extent: Readonly<Record<'space' | 'start' | 'size', Condition>> | null;
  port_checks: Checks;
  address_checks: Checks;
  slave_checks: Checks;
  point_checks: Checks;
  fault_words: Readonly<Record<string, Words>>;
}

const DESCRIPTIONS = document as unknown as Readonly<Record<string, Description>>;

/** Undefined for a protocol that this portal does not know. */
export const descriptionOf = (protocol: string): Description | undefined => DESCRIPTIONS[protocol];

/** Stems of the names of new slaves: plc1, meter1. */
export const STEMS: ReadonlySet<string> = new Set(Object.values(DESCRIPTIONS).map(({ stem }) => stem));

export const inLanguage = (words: Words, language: string): string => (language.startsWith('zh') ? words.zh : words.en);

/** A protocol in the user's words; its name when there are none. */
export function protocolTitle(protocol: string, language: string): string {
  const title = descriptionOf(protocol)?.title;
  return title === undefined ? protocol : inLanguage(title, language);
}

/** The protocol that describes a slave's points: its own, or the one that its options choose. */
export function pointProtocol(protocol: string, options: Readonly<Record<string, unknown>>): string {
  const variant = descriptionOf(protocol)?.variant;
  return variant?.protocols[String(options[variant.option])] ?? protocol;
}

/** Words of a fault that one protocol alone has, for i18next; undefined without any. */
export function faultDefault(code: string, language: string): string | undefined {
  const words = Object.values(DESCRIPTIONS).find((each) => each.fault_words[code] !== undefined)?.fault_words[code];
  return words === undefined ? undefined : inLanguage(words, language).replaceAll(/\{(\w+)\}/g, '{{$1}}');
}
