import { useMantineColorScheme } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { switchLanguage } from '@/i18n';
import { initials } from '@/lib/initials';
import { useGo } from '@/lib/navigation';
import type { Choice } from '@/lib/palette';
import { currentLanguage, LANGUAGES } from '@/lib/preferences';
import { mayOpen, screenAt, stringifySearch } from '@/lib/screens';
import type { Icon, SearchValues } from '@/lib/screens';
import { useAccess, useMay } from '@/lib/session';
import { useOpened } from '../../opened';
import { leave } from '../leave';
import { useOverlay } from '../overlay';
import { SCREEN_ICONS } from '../screenIcons';
import { useClose } from '../useClose';
import { useMenu } from '../useMenu';

const DETAIL = '/deviceDetail/index';
const ADD = '/device/addDevice';
const SCHEMES = ['light', 'dark', 'auto'] as const;

export interface LocalChoice extends Choice {
  kind: 'tabs' | 'screens' | 'actions';
  /** Of a screen. */
  icon?: Icon;
  run: () => void;
}

/** Tabs of the page in front, its screens, and what the user can do to it. */
export function useChoices(): LocalChoice[] {
  return [...useTabs(), ...useScreens(), ...useActions()];
}

/** As they stand on the page when the palette is opened. */
function useTabs(): LocalChoice[] {
  const { t } = useTranslation();
  const active = useOpened(({ tabs, activeId }) => tabs.find(({ id }) => id === activeId));
  const [tabs] = useState(() =>
    [...document.querySelectorAll<HTMLElement>('[data-screen] [role="tab"]')].filter((tab) => tab.checkVisibility()),
  );
  const group = active === undefined ? '' : active.detail || t(active.screen.titleKey);
  return tabs.map((tab, at) => {
    const title = tab.textContent?.trim() ?? '';
    return { id: `tab-${at}`, kind: 'tabs', title, group, words: initials(title), run: () => tab.click() };
  });
}

function useScreens(): LocalChoice[] {
  const { t } = useTranslation();
  const go = useGo();
  const groups = [...useMenu('side'), ...useMenu('top')];
  return groups.flatMap(({ section, entries }) =>
    entries
      .filter((screen) => screen.external === undefined)
      .flatMap((screen): LocalChoice[] => {
        const group = screen.pending === true ? t('base:menu.pending') : t(section.titleKey);
        const choice = (title: string, at: string, search?: SearchValues): LocalChoice => ({
          id: `${screen.path}${stringifySearch(search ?? {})}`,
          kind: 'screens',
          title,
          group: at,
          words: `${screen.path} ${initials(title)}`,
          icon: SCREEN_ICONS[screen.icon],
          run: () => go(screen.path, search),
        });
        const title = t(screen.titleKey);
        return [
          choice(title, group),
          ...(screen.places ?? []).map(({ nameKey, search }) => choice(t(nameKey), title, search)),
        ];
      }),
  );
}

function useActions(): LocalChoice[] {
  const { t } = useTranslation();
  const go = useGo();
  const access = useAccess();
  const { close, closeOthers, refresh } = useClose();
  const { setColorScheme, colorScheme } = useMantineColorScheme();
  const maySwitch = useMay('i18n');
  const mayDeploy = useMay('DeviceManage');
  const show = useOverlay((state) => state.show);
  const { activeId, tabs } = useOpened();
  const device = tabs.find(({ id, screen }) => id === activeId && screen.path === DETAIL);
  const add = screenAt(ADD);
  const action = (id: string, title: string, run: () => void, group = ''): LocalChoice => ({
    id,
    kind: 'actions',
    title,
    group,
    words: `${id} ${initials(title)}`,
    run,
  });
  const others = LANGUAGES.filter((language) => maySwitch && language !== currentLanguage());
  return [
    ...(add !== undefined && mayOpen(add, access) ? [action('add-device', t(add.titleKey), () => go(ADD))] : []),
    ...(device !== undefined && mayDeploy
      ? [
          action(
            'deploy',
            t('base:palette.deploy'),
            () => go(DETAIL, { device_id: device.search.device_id, tab: 'configuration' }),
            device.detail,
          ),
        ]
      : []),
    action('profile', t('base:user.profile'), () => go('/user/me')),
    ...(activeId === null
      ? []
      : [
          action('refresh', t('base:tabs.refresh'), () => void refresh(activeId)),
          action('close', t('base:tabs.close'), () => void close(activeId)),
          action('close-others', t('base:tabs.closeOthers'), () => void closeOthers(activeId)),
        ]),
    ...SCHEMES.filter((scheme) => scheme !== colorScheme).map((scheme) =>
      action(`scheme-${scheme}`, `${t('base:scheme.label')}: ${t(`base:scheme.${scheme}`)}`, () =>
        setColorScheme(scheme),
      ),
    ),
    ...others.map((language) =>
      action(
        `language-${language}`,
        `${t('base:language.label')}: ${t(`base:language.${language}`)}`,
        () => void switchLanguage(language),
      ),
    ),
    action('keys', t('base:keys.title'), () => show('keys')),
    action('sign-out', t('base:user.signOut'), () => void leave()),
  ];
}
