import type { Loader } from '@/i18n';

/** Texts of all features in one language; one file each, loaded when the language is. */
export const loadTexts: Loader = async (language) =>
  (await (language === 'zh' ? import('./zh') : import('./en'))).texts;
