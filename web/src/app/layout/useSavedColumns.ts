import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError } from '@/api/errors';
import * as sdk from '@/api/generated/sdk.gen';
import { call } from '@/api/http';
import { useColumnChoices } from '@/lib/columnChoice';
import type { Tables } from '@/lib/columnChoice';
import { useSession } from '@/lib/session';

/** A drag of an edge or a row of clicks is one change. */
const SAVE_AFTER_MS = 800;

/** Once for each user: what the cloud has is taken over, unless this browser still has a change to send. */
function savedColumnsQuery(user: string) {
  return queryOptions({
    queryKey: ['user', 'option', 'columns', user],
    queryFn: async ({ signal }) => {
      const { unsaved, adopt } = useColumnChoices.getState();
      if (unsaved.includes(user)) return save(user);
      const option = await call(sdk.getUserOption({ query: { name: 'columns' }, signal }));
      if (option.name === 'columns') adopt(user, complete((option.value ?? {}) as StoredColumns));
      return true;
    },
    enabled: user !== '',
    staleTime: Infinity,
    gcTime: Infinity,
    retry: false,
  });
}

/** The user's choice of columns is the cloud's when the session begins, and the cloud's a moment after each change. */
export function useSavedColumns(): void {
  const user = useSession((state) => String(state.user?.id ?? ''));
  useQuery(savedColumnsQuery(user));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = useColumnChoices.subscribe((now, before) => {
      if (now.choices[user] === before.choices[user] || !now.unsaved.includes(user)) return;
      clearTimeout(timer);
      timer = setTimeout(() => void save(user), SAVE_AFTER_MS);
    });
    return end;
  }, [user]);
}

/** Did the cloud take it? If not, the browser still has it and tries again with its next page. */
async function save(user: string): Promise<boolean> {
  const tables = useColumnChoices.getState().choices[user] ?? {};
  try {
    await call(sdk.putUserOption({ body: { name: 'columns', value: writable(tables) } }));
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
  const now = useColumnChoices.getState();
  if (now.choices[user] === tables || now.choices[user] === undefined) now.adopt(user, tables);
  return true;
}

type StoredColumns = Record<string, { order?: string[]; hidden?: string[]; widths?: Record<string, number> }>;

function complete(stored: StoredColumns): Tables {
  const entries = Object.entries(stored);
  return Object.fromEntries(
    entries.map(([table, { order = [], hidden = [], widths = {} }]) => [table, { order, hidden, widths }]),
  );
}

function writable(tables: Tables): StoredColumns {
  const entries = Object.entries(tables);
  return Object.fromEntries(
    entries.map(([table, { order, hidden, widths }]) => [
      table,
      { order: [...order], hidden: [...hidden], widths: { ...widths } },
    ]),
  );
}
