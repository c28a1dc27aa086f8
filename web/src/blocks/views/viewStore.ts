import { queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type { SavedView } from '@/api/generated/types.gen';
import { call } from '@/api/http';
import { stringifySearch } from '@/lib/screens';
import type { SearchValues } from '@/lib/screens';

export type { SavedView };

/** User options that hold views of a list. */
export type ViewsName = 'device_views' | 'monitor_views';

/** By the cloud. */
export const MAX_VIEWS = 20;
export const MAX_TITLE = 50;
const STALE_MS = 60_000;

export function viewsQuery(name: ViewsName) {
  return queryOptions({
    queryKey: ['userOption', name],
    queryFn: async ({ signal }): Promise<readonly SavedView[]> => {
      const option = await call(sdk.getUserOption({ query: { name }, signal }));
      return option.name === name ? ((option.value ?? []) as SavedView[]) : [];
    },
    staleTime: STALE_MS,
  });
}

export async function saveViews(name: ViewsName, views: readonly SavedView[]): Promise<void> {
  await call(sdk.putUserOption({ body: { name, value: [...views] } }));
}

/** Views with one more; one of the same title is replaced. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  return views.some(({ title }) => title === view.title)
    ? views.map((each) => (each.title === view.title ? view : each))
    : [...views, view];
}

/** Views with one under another title; null when another view has that. */
export function renamed(views: readonly SavedView[], from: string, to: string): readonly SavedView[] | null {
  if (to === '' || (to !== from && views.some(({ title }) => title === to))) return null;
  return views.map((view) => (view.title === from ? { ...view, title: to } : view));
}

/** The part of an address that a view keeps. */
export function viewOf(search: SearchValues, names: readonly string[]): string {
  return stringifySearch(Object.fromEntries(names.map((name) => [name, search[name]]))).replace(/^\?/, '');
}

/** What to set in the address for a view. */
export function choicesOf(query: string, names: readonly string[]): Record<string, string | undefined> {
  const params = new URLSearchParams(query);
  return Object.fromEntries(names.map((name) => [name, params.get(name) ?? undefined]));
}
