import { useTranslation } from 'react-i18next';
import { switchLanguage } from '@/i18n';
import { useGo } from '@/lib/navigation';
import type { Choice } from '@/lib/palette';
import { currentLanguage, LANGUAGES } from '@/lib/preferences';
import type { Icon } from '@/lib/screens';
import { useMay } from '@/lib/session';
import { useOpened } from '../opened';
import { leave } from './leave';
import { SCREEN_ICONS } from './screenIcons';
import { useClose } from './useClose';
import { useMenu } from './useMenu';

export interface Command extends Choice {
  /** Of a screen. */
  icon?: Icon;
  run: () => void;
}

/** Screens of the user's menu and what he can do to the page in front. */
export function useChoices(): Command[] {
  const { t } = useTranslation();
  const go = useGo();
  const { close, closeOthers, refresh } = useClose();
  const maySwitch = useMay('i18n');
  const activeId = useOpened((state) => state.activeId);
  const groups = [...useMenu('side'), ...useMenu('top')];
  const screens = groups.flatMap(({ section, entries }) =>
    entries
      .filter((screen) => screen.external === undefined)
      .map((screen) => ({
        id: screen.path,
        title: t(screen.titleKey),
        group: screen.pending === true ? t('base:menu.pending') : t(section.titleKey),
        words: screen.path,
        icon: SCREEN_ICONS[screen.icon],
        run: () => go(screen.path),
      })),
  );
  const group = t('base:palette.actions');
  const action = (id: string, title: string, run: () => void): Command => ({ id, title, group, words: id, run });
  const others = LANGUAGES.filter((language) => maySwitch && language !== currentLanguage());
  return [
    ...screens,
    action('profile', t('base:user.profile'), () => go('/user/me')),
    ...(activeId === null
      ? []
      : [
          action('refresh', t('base:tabs.refresh'), () => void refresh(activeId)),
          action('close', t('base:tabs.close'), () => void close(activeId)),
          action('close-others', t('base:tabs.closeOthers'), () => void closeOthers(activeId)),
        ]),
    ...others.map((language) => action(`language-${language}`, t(`base:language.${language}`), () => void switchLanguage(language))),
    action('sign-out', t('base:user.signOut'), () => void leave()),
  ];
}
