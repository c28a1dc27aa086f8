import type { ProjectNode } from '@/api/generated/types.gen';
import type { TreeNode } from '@/lib/tree';

/** The cloud's list of nodes, a parent before its children, as a tree; the note is how many gateways are below. */
export function projectTree(nodes: readonly Pick<ProjectNode, 'id' | 'parent_id' | 'title' | 'devices'>[]): readonly TreeNode[] {
  const made = new Map<number, TreeNode & { children: TreeNode[] }>();
  const top: TreeNode[] = [];
  for (const { id, parent_id, title, devices } of nodes) {
    const node = { id: String(id), label: title, note: String(devices), children: [] };
    made.set(id, node);
    (made.get(parent_id ?? 0)?.children ?? top).push(node);
  }
  for (const node of made.values()) if (node.children.length === 0) delete (node as TreeNode).children;
  return top;
}
