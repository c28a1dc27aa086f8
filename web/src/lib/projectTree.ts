import type { TreeNode } from './tree';

interface Project {
  id: number;
  parent_id: number | null;
  title: string;
  devices?: number;
}

/** Projects as a tree; a note says how many gateways are in a node and below it. A node without its parent stands at the top. */
export function projectTree(projects: readonly Project[]): readonly TreeNode[] {
  const known = new Set(projects.map(({ id }) => id));
  const below = Map.groupBy(projects, ({ parent_id }) =>
    parent_id !== null && known.has(parent_id) ? parent_id : null,
  );
  const nodesOf = (parent: number | null): readonly TreeNode[] =>
    (below.get(parent) ?? []).map(({ id, title, devices }) => {
      const children = nodesOf(id);
      return {
        id: String(id),
        label: title,
        ...(devices === undefined ? {} : { note: String(devices) }),
        ...(children.length === 0 ? {} : { children }),
      };
    });
  return nodesOf(null);
}
