import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { call } from '@/api/http';
import * as sdk from '@/api/generated/sdk.gen';
import type { SearchResults } from '@/api/generated/types.gen';
import { stringifySearch } from '@/lib/screens';
import type { Access } from '@/lib/screens';
import { useAccess, useSession } from '@/lib/session';
import { SEARCH_DEBOUNCE_MS, useDebounced } from '@/lib/useDebounced';
import type { Recent } from './recent';

const FRESH_MS = 10_000;
const MAX_EACH = 5;

export const KINDS = ['devices', 'slaves', 'points', 'projects', 'users'] as const;
export type Kind = (typeof KINDS)[number];

export interface ResultKind {
  kind: Kind;
  entries: readonly Recent[];
  /** There are others. */
  more: boolean;
}

/** Where each of what was found leads to; the user himself (ownId), whom the list of users does not edit, to his own page. */
export function entriesOf(results: SearchResults, access: Access, ownId?: number | string): Record<Kind, Recent[]> {
  const history = access.permissions.includes('HisData');
  const device = (search: Record<string, unknown>): string => `/deviceDetail/index${stringifySearch(search)}`;
  return {
    devices: results.devices.map(({ id, title, gateway_id, binder_title }) => ({
      id: `device-${id}`,
      kind: 'devices',
      href: device({ device_id: id }),
      title: binder_title === '' ? title : `${title} [${binder_title}]`,
      detail: gateway_id,
    })),
    slaves: results.slaves.map(({ device_id, device_title, name, title }) => ({
      id: `slave-${device_id}-${name}`,
      kind: 'slaves',
      title,
      detail: device_title,
      href: device({ device_id, tab: 'live', slave: name }),
    })),
    points: results.points.map(({ dsid, device_id, device_title, slave, slave_title, title }) => ({
      id: `point-${dsid}`,
      kind: 'points',
      title,
      detail: `${device_title} / ${slave_title}`,
      href: history
        ? `/dataCenter/hisData${stringifySearch({ device_id, dsids: dsid })}`
        : device({ device_id, tab: 'live', slave }),
    })),
    projects: results.projects.map(({ id, title }) => ({
      id: `project-${id}`,
      kind: 'projects',
      title,
      detail: '',
      href: `/group/index${stringifySearch({ node: id })}`,
    })),
    users: results.users.map(({ user_id, user_name, nick_name }) => ({
      id: `user-${user_id}`,
      kind: 'users',
      title: user_name,
      detail: nick_name,
      href:
        String(user_id) === String(ownId)
          ? '/user/me'
          : `/user/authuser${stringifySearch({ search: user_name, edit: user_id })}`,
    })),
  };
}

interface Answer {
  kinds: readonly ResultKind[];
  /** An answer to what is typed is still to come. */
  isWaiting: boolean;
  error: unknown;
}

/** What the cloud finds, 300 ms after the last key; an older question is given up. */
export function useSearchResults(typed: string): Answer {
  const { t } = useTranslation();
  const access = useAccess();
  const ownId = useSession((state) => state.user?.id);
  const wanted = typed.trim();
  const q = useDebounced(wanted, SEARCH_DEBOUNCE_MS);
  const { data, error, isFetching } = useQuery({
    queryKey: ['search', q],
    queryFn: ({ signal }) => call(sdk.searchEverything({ query: { q, limit: MAX_EACH }, signal })),
    enabled: q !== '' && wanted !== '',
    staleTime: FRESH_MS,
    gcTime: FRESH_MS,
    placeholderData: keepPreviousData,
    retry: false,
    meta: { silent: true },
  });
  if (wanted === '') return { kinds: [], isWaiting: false, error: null };
  const entries = data === undefined ? null : entriesOf(data, access, ownId);
  const kinds = KINDS.flatMap((kind) => {
    const own = (entries?.[kind] ?? []).map((entry) => ({
      ...entry,
      title: entry.title || t('base:palette.untitled'),
    }));
    return own.length === 0 ? [] : [{ kind, entries: own, more: data?.more.includes(kind) === true }];
  });
  return { kinds, isWaiting: q !== wanted || isFetching, error: q === wanted ? error : null };
}
