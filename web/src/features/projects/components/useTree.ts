import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { TreeNode } from '@/lib/tree';
import { treeQuery } from '../api';
import type { ProjectNode, ProjectTree } from '../api';
import { treeOf } from '../projectTree';

interface TreeState {
  tree: ProjectTree | undefined;
  nodes: readonly ProjectNode[];
  visible: readonly TreeNode[];
  error: unknown;
  refetch: () => unknown;
}

const NONE: readonly ProjectNode[] = [];

/** The tree with how many gateways are in each node, as a panel shows it. */
export function useTree(): TreeState {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(treeQuery);
  const nodes = data?.nodes ?? NONE;
  // Counts change all the time; the panel starts anew only for another tree.
  const visible = useMemo(
    () => treeOf(nodes, ({ online, devices }) => (devices === 0 ? '' : t('projects:count.short', { online, devices }))),
    [nodes, t],
  );
  return { tree: data, nodes, visible, error, refetch };
}
