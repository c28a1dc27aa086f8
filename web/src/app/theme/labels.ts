import { mergeThemeOverrides } from '@mantine/core';
import type { MantineThemeOverride } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { theme } from './theme';

/** Names of what Mantine's components draw by themselves: it has them in English, or none. A component's own go before. */
function labels(t: TFunction, language: string): MantineThemeOverride {
  const close = { closeButtonProps: { 'aria-label': t('base:action.close') } };
  const clear = { clearButtonProps: { 'aria-label': t('base:table.clear') } };
  const dates = {
    ...clear,
    locale: language === 'zh' ? 'zh-cn' : 'en',
    ariaLabels: {
      previousMonth: t('base:calendar.previousMonth'),
      nextMonth: t('base:calendar.nextMonth'),
      previousYear: t('base:calendar.previousYear'),
      nextYear: t('base:calendar.nextYear'),
      previousDecade: t('base:calendar.previousDecade'),
      nextDecade: t('base:calendar.nextDecade'),
    },
  };
  const time = {
    hoursInputLabel: t('base:calendar.hours'),
    minutesInputLabel: t('base:calendar.minutes'),
    secondsInputLabel: t('base:calendar.seconds'),
  };
  return {
    components: {
      PasswordInput: {
        defaultProps: { visibilityToggleButtonProps: { 'aria-label': t('base:action.showPassword') } },
      },
      Modal: { defaultProps: close },
      Drawer: { defaultProps: close },
      Notification: { defaultProps: close },
      Alert: { defaultProps: { closeButtonLabel: t('base:action.close') } },
      Select: { defaultProps: clear },
      MultiSelect: { defaultProps: clear },
      TagsInput: { defaultProps: clear },
      DateInput: { defaultProps: dates },
      DateTimePicker: {
        defaultProps: {
          ...dates,
          timePickerProps: time,
          submitButtonProps: { 'aria-label': t('base:action.ok') },
        },
      },
    },
  };
}

/** The portal's theme in the user's language. */
export function useTheme(): MantineThemeOverride {
  const { t, i18n } = useTranslation();
  return useMemo(() => mergeThemeOverrides(theme, labels(t, i18n.language)), [t, i18n.language]);
}
