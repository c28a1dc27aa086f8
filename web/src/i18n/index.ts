import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { currentLanguage, usePreferences } from '@/lib/preferences';
import type { Language } from '@/lib/preferences';

type Texts = Record<string, unknown>;

/** Texts of the features in a language, by namespace (= the feature's folder). */
export type Loader = (language: Language) => Promise<Record<string, Texts>>;

let loadFeatures: Loader = () => Promise.resolve({});

async function baseTexts(language: Language): Promise<Texts> {
  return (await (language === 'zh' ? import('./locales/zh.json') : import('./locales/en.json'))).default;
}

async function load(language: Language): Promise<void> {
  if (i18next.hasResourceBundle(language, 'base')) return;
  const [base, features] = await Promise.all([baseTexts(language), loadFeatures(language)]);
  for (const [name, texts] of Object.entries({ base, ...features })) i18next.addResourceBundle(language, name, texts);
}

/** Start with the texts of the user's language only. No fallback: the check keeps both languages complete. */
export async function startTexts(features: Loader): Promise<void> {
  loadFeatures = features;
  const language = currentLanguage();
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    resources: {},
    defaultNS: 'base',
    interpolation: { escapeValue: false },
  });
  await load(language);
  applyLanguage(language);
}

export async function switchLanguage(language: Language): Promise<void> {
  await load(language);
  usePreferences.getState().setLanguage(language);
  await i18next.changeLanguage(language);
  applyLanguage(language);
}

function applyLanguage(language: Language): void {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
}
