import i18next from 'i18next';

/** Words for what is wrong with a cell: of imports, of the editor of points, or of what any value may break; null without any. */
export function faultWords(code: string, words: Readonly<Record<string, string | number>>): string | null {
  const key = [`base:import.fault.${code}`, `base:point.fault.${code}`, `base:refusal.constraint.${code}`].find(
    (each) => i18next.exists(each),
  );
  return key === undefined ? null : i18next.t(key, words);
}

export function faultText(code: string, words: Readonly<Record<string, string | number>>): string {
  return faultWords(code, words) ?? i18next.t('base:import.fault.rule', { rule: code });
}
