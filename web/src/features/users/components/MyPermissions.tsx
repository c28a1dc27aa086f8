import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PageSkeleton } from '@/components/PageSkeleton';
import { TreePanel } from '@/components/TreePanel';
import { Trouble } from '@/components/Trouble';
import { useSession } from '@/lib/session';
import { permissionsQuery } from '../api';
import { offered, permissionTree } from '../permissionTree';

/** What the signed-in user may do, by its names. */
export function MyPermissions(): ReactElement {
  const { t, i18n } = useTranslation();
  const own = useSession((state) => state.permissions);
  const flags = useSession((state) => state.platform.flags);
  const { data: every, error, refetch } = useQuery(permissionsQuery);
  const data = useMemo(() => (every === undefined ? undefined : offered(every, flags)), [every, flags]);
  const mine = useMemo(() => (data ?? []).filter(({ code }) => own.includes(code)), [data, own]);
  const nodes = useMemo(() => permissionTree(mine, i18n.language), [mine, i18n.language]);
  if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <PageSkeleton />;
  return (
    <>
      <p data-testid="my-permission-count">{t('users:me.mayDo', { count: mine.length, of: data.length })}</p>
      <TreePanel label={t('users:me.permissions')} nodes={nodes} opened="*" search testId="my-permissions" />
    </>
  );
}
