import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { Words } from './model/form';

/** Words of a description in the user's language. */
export function useWords(): (words: Words) => string {
  const { i18n } = useTranslation();
  const isChinese = i18n.language.startsWith('zh');
  return useCallback((words: Words) => (isChinese ? words.zh : words.en), [isChinese]);
}
