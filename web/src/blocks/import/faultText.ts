import i18next from 'i18next';
import { faultDefault } from '@/blocks/points/protocols';

/** Words for what is wrong with a cell: of imports, of the editor of points, of what any value may break, or of the protocol that alone has the code; null without any. */
export function faultWords(code: string, words: Readonly<Record<string, string | number>>): string | null {
  const key = [`base:import.fault.${code}`, `base:point.fault.${code}`, `base:refusal.constraint.${code}`].find(
    (each) => i18next.exists(each),
  );
  if (key !== undefined) return i18next.t(key, words);
  const own = faultDefault(code, i18next.language ?? 'zh');
  return own === undefined ? null : i18next.t(`base:point.fault.${code}`, { ...words, defaultValue: own });
}

export function faultText(code: string, words: Readonly<Record<string, string | number>>): string {
  return faultWords(code, words) ?? i18next.t('base:import.fault.rule', { rule: code });
}
