import i18next from 'i18next';
import { RULES, SENTENCES } from './ruleSentences';

/**
 * A rule of a gateway or of the cloud in words of the user's language. They say it in English, in sentences of a known
 * form; what is no such sentence stays as it is.
 */
export function ruleText(rule: string): string {
  for (const [name, sentence] of SENTENCES) {
    const match = sentence.exec(rule);
    if (match !== null) return i18next.t(`base:rule.${name}`, { ...typed(match.groups) });
  }
  const plain = RULES[rule];
  return plain === undefined ? rule : i18next.t(`base:rule.${plain}`);
}

/** What is called a type stands in a sentence in its own words. */
function typed(groups: Record<string, string> | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(groups ?? {}).map(([name, said]) => [
      name,
      name === 'wanted' || name === 'given' ? typesText(said) : said,
    ]),
  );
}

function typesText(said: string): string {
  return (said === 'true or false' ? [said] : said.split(' or '))
    .map((each) => {
      const key = `base:rule.type.${each.replace(/^(a|an) /, '').replaceAll(' ', '_')}`;
      return i18next.exists(key) ? i18next.t(key) : each;
    })
    .join(i18next.t('base:rule.type.or'));
}
