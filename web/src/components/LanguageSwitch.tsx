import { ActionIcon, Menu } from '@mantine/core';
import { IconLanguage } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { switchLanguage } from '@/i18n';
import { currentLanguage, LANGUAGES, usePreferences } from '@/lib/preferences';
import type { Language } from '@/lib/preferences';
import { clearNotices, showSuccess } from './notices';

export function LanguageSwitch(): ReactElement {
  const { t } = useTranslation();
  const current = usePreferences(currentLanguage);
  const choose = async (language: Language): Promise<void> => {
    await switchLanguage(language);
    clearNotices();
    showSuccess(t('base:language.done', { lng: language }));
  };
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('base:language.label')}
          data-testid="language-switch"
        >
          <IconLanguage size={20} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {LANGUAGES.map((language) => (
          <Menu.Item
            key={language}
            disabled={language === current}
            lang={language}
            onClick={() => void choose(language)}
            data-testid={`language-${language}`}
          >
            {t(`base:language.${language}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
