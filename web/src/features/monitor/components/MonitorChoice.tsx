import { Button, Drawer, Select } from '@mantine/core';
import { IconBinaryTree2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { MonitorPoints } from '@/api/generated/types.gen';
import { TreePanel } from '@/components/TreePanel';
import { projectTree } from '@/lib/projectTree';
import { useMay } from '@/lib/session';
import { useTab } from '@/lib/tab';
import type { TreeNode } from '@/lib/tree';
import { wayTo } from '@/lib/tree';
import list from '../monitorList.module.css';
import { projectsQuery } from '../monitorList';

const NO_PROJECT = '0';
const ALL = 'all';

/** Projects, with all of them at the top and gateways without one at the end. */
function useProjects(): readonly TreeNode[] {
  const { t } = useTranslation();
  const may = useMay('Monitor.DeviceMonitor');
  const { data } = useQuery({ ...projectsQuery, enabled: may });
  return useMemo(() => {
    if (data === undefined || data.nodes.length === 0) return [];
    return [
      { id: ALL, label: t('base:picker.allProjects') },
      ...projectTree(data.nodes),
      { id: NO_PROJECT, label: t('base:picker.noProject'), note: String(data.none.devices ?? 0) },
    ];
  }, [data, t]);
}

/** The tree of projects beside the list; on narrow pages behind a button. */
export function ProjectChoice({ isNarrow }: { isNarrow: boolean }): ReactElement | null {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const nodes = useProjects();
  const [isOpen, setOpen] = useState(false);
  const chosen = search.project ?? ALL;
  if (nodes.length === 0) return null;
  const tree = (
    <TreePanel
      label={t('monitor:points.projects')}
      nodes={nodes}
      opened={wayTo(nodes, chosen).map(({ id }) => id)}
      selected={chosen}
      onSelect={(id) => {
        setSearch({ project: id === ALL ? undefined : id, points: undefined });
        setOpen(false);
      }}
      search
      testId="monitor-projects"
    />
  );
  if (!isNarrow) return <aside className={list.projects}>{tree}</aside>;
  const title = wayTo(nodes, chosen).at(-1)?.label ?? t('monitor:points.projects');
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconBinaryTree2 size={16} stroke={1.6} />}
        onClick={() => setOpen(true)}
        data-testid="monitor-projects-open"
      >
        {title}
      </Button>
      <Drawer opened={isOpen} onClose={() => setOpen(false)} title={t('monitor:points.projects')}>
        {tree}
      </Drawer>
    </>
  );
}

/** Only shown when there are products to choose from. */
export function ProductChoice({ products }: { products: MonitorPoints['products'] }): ReactElement | null {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  if (products.length === 0 && search.product === undefined) return null;
  return (
    <Select
      aria-label={t('base:monitor.product')}
      placeholder={t('base:monitor.allProducts')}
      data={products.map(({ id, title }) => ({ value: String(id), label: title }))}
      value={search.product ?? null}
      onChange={(product) => setSearch({ product: product ?? undefined })}
      clearable
      searchable
      w={170}
      data-testid="monitor-product"
    />
  );
}
