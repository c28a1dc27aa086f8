import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { TreePanel } from '@/components/TreePanel';
import { Trouble } from '@/components/Trouble';
import { projectTree } from '@/lib/projectTree';
import type { TreeNode } from '@/lib/tree';
import { projectsQuery } from '../api';
import classes from '../devices.module.css';

const EVERYTHING = '';

/** The tree of projects beside the list: choosing a node filters. value: '' for everything, '0' for those in none. */
export default function ProjectPanel({
  value,
  onChange,
}: {
  value: string;
  onChange: (value: string | undefined) => void;
}): ReactElement {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(projectsQuery);
  const nodes = useMemo<readonly TreeNode[]>(() => {
    if (data === undefined) return [];
    const none = { id: '0', label: t('devices:project.none'), note: String(data.none.devices) };
    return [{ id: 'all', label: t('devices:project.all') }, ...projectTree(data.nodes), none];
  }, [data, t]);
  const opened = useMemo(() => nodes.map(({ id }) => id), [nodes]);
  if (data === undefined) {
    if (error === null) return <div className={classes.tree} />;
    return (
      <aside className={classes.tree} aria-label={t('devices:project.tree')}>
        <Trouble error={error} onRetry={() => void refetch()} />
      </aside>
    );
  }
  return (
    <aside className={classes.tree} aria-label={t('devices:project.tree')}>
      <TreePanel
        key={nodes.length}
        label={t('devices:project.tree')}
        nodes={nodes}
        opened={opened}
        selected={value === EVERYTHING ? 'all' : value}
        onSelect={(id) => onChange(id === 'all' ? undefined : id)}
        search
        testId="project-tree"
      />
    </aside>
  );
}
