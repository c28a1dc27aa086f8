import i18next from 'i18next';

/** What becomes of a gateway's draft, or why it stays as it is. */
export function stateWords(state: string, t: (key: string) => string): string {
  if (state === 'change' || state === 'none') return t(`templates:state.${state}`);
  const spaces = ['templates', 'base'];
  const key = spaces.map((space) => `${space}:refusal.${state}`).find((each) => i18next.exists(each));
  return key === undefined ? t('templates:state.refused') : t(key);
}
