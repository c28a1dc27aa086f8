import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { usePreferences } from '@/lib/preferences';
import type { Language } from '@/lib/preferences';
import en from './locales/en.json';
import zh from './locales/zh.json';

type Texts = Record<string, unknown>;

/** Texts of a namespace, by language. */
export type Catalog = Record<Language, Texts>;

/** Start i18next with the base texts and those of every feature (namespace = folder). Chinese is the source language. */
export async function startTexts(features: Record<string, Catalog>): Promise<void> {
  const spaces: Record<string, Catalog> = { base: { zh, en }, ...features };
  const pick = (language: Language): Record<string, Texts> =>
    Object.fromEntries(Object.entries(spaces).map(([name, texts]) => [name, texts[language]]));
  await i18next.use(initReactI18next).init({
    lng: usePreferences.getState().language,
    fallbackLng: 'zh',
    supportedLngs: ['zh', 'en'],
    ns: Object.keys(spaces),
    defaultNS: 'base',
    resources: { zh: pick('zh'), en: pick('en') } as never,
    interpolation: { escapeValue: false },
    returnNull: false,
  } as never);
  applyLanguage(usePreferences.getState().language);
}

export async function switchLanguage(language: Language): Promise<void> {
  usePreferences.getState().setLanguage(language);
  await i18next.changeLanguage(language);
  applyLanguage(language);
}

function applyLanguage(language: Language): void {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
}
