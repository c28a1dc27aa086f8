import { Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PageSkeleton } from '@/components/PageSkeleton';
import page from '@/components/page.module.css';
import { TreePanel } from '@/components/TreePanel';
import { Trouble } from '@/components/Trouble';
import { useSession } from '@/lib/session';
import { useTab } from '@/lib/tab';
import type { TreeNode } from '@/lib/tree';
import { rulesQuery } from '../api';
import type { RuleRow } from '../api';
import { RuleForm } from '../components/RuleForm';
import { offered, permissionTree } from '../permissionTree';
import { draftOfRule, isTouched } from '../rules';
import classes from '../users.module.css';

/** Every permission of the platform, and what is changed of it. */
export default function RuleTree(): ReactElement {
  const { t, i18n } = useTranslation();
  const { search, setSearch } = useTab();
  const flags = useSession((state) => state.platform.flags);
  const { data: every, error, refetch } = useQuery(rulesQuery);
  const data = useMemo(() => (every === undefined ? undefined : offered(every, flags)), [every, flags]);
  const nodes = useMemo(() => permissionTree(data ?? [], i18n.language), [data, i18n.language]);
  const opened = useMemo(() => nodes.map(({ id }) => id), [nodes]);
  const byCode = useMemo(() => new Map(data?.map((row) => [row.code, row])), [data]);
  const marks = (node: TreeNode): ReactElement | null => marksOf(byCode.get(node.id), t);
  const row = byCode.get(search.code ?? '') ?? data?.[0];
  return (
    <section className={page.panel}>
      <div className={page.bar}>
        <h1>{t('users:title.rules')}</h1>
      </div>
      {error !== null ? <Trouble error={error} onRetry={() => void refetch()} /> : null}
      {data === undefined && error === null ? <PageSkeleton /> : null}
      {row === undefined ? null : (
        <div className={classes.halves}>
          <div className={classes.half} data-scroll>
            <TreePanel
              label={t('users:title.rules')}
              nodes={nodes}
              opened={opened}
              selected={row.code}
              onSelect={(code) => setSearch({ code })}
              search
              extra={marks}
              testId="rule-tree"
            />
          </div>
          <div className={classes.half}>
            <RuleForm key={row.code} row={row} />
          </div>
        </div>
      )}
    </section>
  );
}

/** What is changed of a permission, at the end of its line. */
function marksOf(row: RuleRow | undefined, t: (key: string) => string): ReactElement | null {
  if (row === undefined) return null;
  if (!row.enabled) {
    return (
      <Badge size="sm" color="red" variant="light" data-testid="rule-off">
        {t('users:rules.off')}
      </Badge>
    );
  }
  if (!isTouched(draftOfRule(row), row)) return null;
  return (
    <Badge size="sm" variant="light">
      {t('users:rules.changed')}
    </Badge>
  );
}
