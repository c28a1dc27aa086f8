import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '@/components/useConfirm';
import { useOpened } from '@/app/opened';
import { screenAt, tabId } from '@/lib/screens';
import type { SearchValues } from '@/lib/screens';
import { unsaved } from '@/lib/unsaved';

interface Place {
  pathname: string;
  search: unknown;
}

/** The page that an address shows: an opened page's id, '' for one without a tab, null for an address that only leads on. */
export function pageAt({ pathname, search }: Place): string | null {
  const screen = screenAt(pathname);
  if (screen === undefined) return null;
  return screen.layout === 'admin' ? tabId(screen, search as SearchValues) : '';
}

/** Would this way lose what is entered? Within the frame of tabs other pages stay as they are; without it all of them end. */
export function losesOnWay(current: Place, next: Place): string[] {
  const [from, to] = [pageAt(current), pageAt(next)];
  if (to === null || (current.pathname === next.pathname && same(current.search, next.search))) return [];
  if (from === '' || to === '') return unsaved.pages();
  if (!unsaved.losesWith(to)) return [];
  // A page that is behind another one comes back as it is only under the address that it was left with.
  const previous = from === to ? current.search : useOpened.getState().tabs.find(({ id }) => id === to)?.search;
  return previous !== undefined && same(previous, next.search) ? [] : [to];
}

function same(one: unknown, other: unknown): boolean {
  const text = (search: unknown): string => {
    const given = Object.entries(search as SearchValues).filter(([, value]) => value !== undefined);
    const values = new URLSearchParams(given as [string, string][]);
    values.sort();
    return values.toString();
  };
  return text(one) === text(other);
}

/** Draw the question before anything is lost, and ask it of every way within the portal. titleOf: of an opened page. */
export function useAskLeave(titleOf: (tab: string) => string): ReactElement | null {
  const { t } = useTranslation();
  const [ask, dialog] = useConfirm();
  useEffect(
    () =>
      unsaved.setAsker((titles) => {
        const named = titles.filter((title) => title !== '').join(t('base:unsaved.comma'));
        const pages = named === '' ? t('base:form.discardText') : t('base:unsaved.text', { titles: named });
        return ask({
          title: t('base:form.discardTitle'),
          text: titles.length === 0 ? t('base:unsaved.leave') : pages,
          confirm: t('base:form.discard'),
          danger: true,
        });
      }),
    [ask, t],
  );
  useBlocker({
    enableBeforeUnload: false,
    shouldBlockFn: async ({ current, next }) => {
      const lost = losesOnWay(current, next);
      if (lost.length === 0) return false;
      if (!(await unsaved.ask(lost.map(titleOf)))) return true;
      for (const tab of lost) unsaved.forget(tab);
      return false;
    },
  });
  return dialog;
}
