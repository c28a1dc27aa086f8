import { Button, Group, Input } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { PageSkeleton } from '@/components/PageSkeleton';
import { TreePanel } from '@/components/TreePanel';
import { Trouble } from '@/components/Trouble';
import { useSession } from '@/lib/session';
import { permissionsQuery } from '../api';
import { offered, ofType, permissionTree } from '../permissionTree';
import classes from '../users.module.css';

interface Props {
  /** The tree has what users of this type can have. */
  userType: number;
  value: readonly string[];
  onChange: (codes: readonly string[]) => void;
  error?: ReactNode;
}

/** The permissions of a group, to tick in a tree by their names. */
export function PermissionTicks({ userType, value, onChange, error }: Props): ReactElement {
  const { t, i18n } = useTranslation();
  const query = useQuery(permissionsQuery);
  const flags = useSession((state) => state.platform.flags);
  const possible = useMemo(() => offered(ofType(query.data ?? [], userType), flags), [query.data, userType, flags]);
  const nodes = useMemo(() => permissionTree(possible, i18n.language), [possible, i18n.language]);
  const codes = possible.map(({ code }) => code);
  // What is not offered is no reason to lose it.
  const hidden = (query.data ?? [])
    .filter(({ code, announced }) => announced && !codes.includes(code) && value.includes(code))
    .map(({ code }) => code);
  const change = (next: readonly string[]): void => onChange([...new Set([...next, ...hidden])]);
  const count = codes.filter((code) => value.includes(code)).length;
  if (query.error !== null) return <Trouble error={query.error} onRetry={() => void query.refetch()} />;
  if (query.isPending) return <PageSkeleton />;
  return (
    <Input.Wrapper
      label={t('users:group.permissions')}
      labelElement="div"
      description={t('users:group.permissionsHint')}
      error={error}
    >
      <Group justify="space-between" gap="xs" my={6}>
        <span className="number" aria-live="polite" data-testid="permission-count">
          {t('users:group.count', { count, of: codes.length })}
        </span>
        <Group gap={4}>
          <Button variant="subtle" size="compact-sm" onClick={() => change(codes)} data-testid="permission-all">
            {t('users:group.all')}
          </Button>
          <Button variant="subtle" size="compact-sm" onClick={() => change([])}>
            {t('users:group.none')}
          </Button>
        </Group>
      </Group>
      <div className={classes.treeFrame}>
        <TreePanel
          key={userType}
          label={t('users:group.permissions')}
          nodes={nodes}
          checked={value}
          onCheck={change}
          search
          testId="permission-tree"
        />
      </div>
    </Input.Wrapper>
  );
}
