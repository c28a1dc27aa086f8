import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Filter } from '@/components/resource/filters';
import { useSession } from '@/lib/session';
import type { UserRow } from '../api';
import { MadePassword } from './MadePassword';
import type { Made } from './MadePassword';
import { UserActions } from './UserActions';
import type { Act } from './UserActions';
import type { TypeOption } from './useUserTypes';

/** Loaded when they are first wanted. */
const ResetPassword = lazy(() => import('./ResetPassword'));
const WhyDrawer = lazy(() => import('./WhyDrawer'));

interface Users {
  /** '' when the signed-in user may change the row's user: only who is below him, never himself. */
  whyNot: (row: UserRow) => string;
  rowActions: (row: UserRow) => ReactNode;
  /** Show a password that the cloud made, once. */
  showMade: (made: Made) => void;
  dialogs: ReactElement;
}

/** What lists of users share: who may be changed, the actions of a row and their dialogs. */
export function useUsers(): Users {
  const { t } = useTranslation();
  const me = useSession((state) => state.user);
  const [acting, setActing] = useState<{ act: Act; row: UserRow } | null>(null);
  const [made, setMade] = useState<Made | null>(null);
  const whyNot = useCallback(
    (row: UserRow): string => {
      if (row.user_id === Number(me?.id)) return t('users:self');
      return me === null || row.user_type <= me.type ? t('users:refusal.user.not_below') : '';
    },
    [me, t],
  );
  const rowActions = useCallback(
    (row: UserRow) => <UserActions row={row} whyNot={whyNot(row)} onAct={(act, of) => setActing({ act, row: of })} />,
    [whyNot],
  );
  const close = (): void => setActing(null);
  const dialogs = (
    <Suspense fallback={null}>
      {acting?.act === 'password' ? (
        <ResetPassword
          row={acting.row}
          onClose={close}
          onDone={(word) => {
            close();
            setMade(word);
          }}
        />
      ) : null}
      {acting?.act === 'why' ? <WhyDrawer row={acting.row} onClose={close} /> : null}
      {made === null ? null : <MadePassword made={made} onClose={() => setMade(null)} />}
    </Suspense>
  );
  return { whyNot, rowActions, showMade: setMade, dialogs };
}

/** Filters of a list of users. */
export function useUserFilters(types: readonly TypeOption[]): readonly Filter[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      { kind: 'search', name: 'search', label: t('users:search') },
      { kind: 'select', name: 'type', label: t('users:field.type'), options: types },
      {
        kind: 'segments',
        name: 'status',
        label: t('users:field.status'),
        options: ['1', '0'].map((value) => ({ value, label: t(`base:code.user.${value}`) })),
      },
    ],
    [t, types],
  );
}
