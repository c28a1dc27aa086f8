import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { IconBrightness, IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

const SCHEMES = [
  { id: 'auto', icon: IconDeviceDesktop },
  { id: 'light', icon: IconSun },
  { id: 'dark', icon: IconMoon },
] as const;

export function SchemeSwitch(): ReactElement {
  const { t } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('base:scheme.label')}
          data-testid="scheme-switch"
        >
          <IconBrightness size={20} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map(({ id, icon: Icon }) => (
          <Menu.Item
            key={id}
            leftSection={<Icon size={16} stroke={1.6} />}
            disabled={id === colorScheme}
            onClick={() => setColorScheme(id)}
            data-testid={`scheme-${id}`}
          >
            {t(`base:scheme.${id}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
