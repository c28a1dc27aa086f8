import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Broken, SectionField } from './model/sections';

interface Words {
  label: (field: SectionField) => string;
  choice: (field: SectionField, value: string | number) => string;
  hint: (field: SectionField) => string | undefined;
  broken: (broken: Broken) => string;
}

/** Words of fields, their choices and rules in the user's language. */
export function useWords(): Words {
  const { t, i18n } = useTranslation();
  return useMemo(
    () => ({
      label: ({ zh, en }) => (i18n.language.startsWith('zh') ? zh : en),
      choice: ({ name }, value) => t(`fieldbus:choice.${name}.${value}`, { defaultValue: String(value) }),
      hint: ({ name }) => {
        const key = `fieldbus:hint.${name}`;
        return i18n.exists(key) ? t(key) : undefined;
      },
      broken: ({ rule, args }) => t(`fieldbus:broken.${rule}`, { ...args }),
    }),
    [t, i18n],
  );
}
