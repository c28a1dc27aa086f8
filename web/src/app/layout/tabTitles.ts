import type { OpenedTab } from '../opened';

type Titled = Pick<OpenedTab, 'id' | 'detail' | 'search'> & {
  screen: Pick<OpenedTab['screen'], 'titleKey' | 'tabKeys'>;
};

/**
 * Title of each opened page, by its id. Pages that would be called alike name their screen too, for example two pages of one device;
 * those that are alike even then, what their address tells apart.
 */
export function titlesOf(tabs: readonly Titled[], t: (key: string) => string): Map<string, string> {
  const steps: ((tab: Titled) => string)[] = [
    (tab) => tab.detail || t(tab.screen.titleKey),
    (tab) => (tab.detail === '' ? t(tab.screen.titleKey) : `${tab.detail} · ${t(tab.screen.titleKey)}`),
    (tab) => [tab.detail, t(tab.screen.titleKey), ...marksOf(tab)].filter((part) => part !== '').join(' · '),
  ];
  const titles = new Map<string, string>();
  let left = [...tabs];
  for (const [at, title] of steps.entries()) {
    const named = Map.groupBy(left, title);
    left = [];
    for (const [text, same] of named) {
      if (same.length > 1 && at < steps.length - 1) left.push(...same);
      else for (const { id } of same) titles.set(id, text);
    }
  }
  return titles;
}

function marksOf({ screen, search }: Titled): string[] {
  return (screen.tabKeys ?? []).flatMap((key) => (search[key] ? [`#${search[key]}`] : []));
}
