import type { TreeMove } from '@/components/TreePanel';
import type { TreeNode } from '@/lib/tree';
import type { ProjectNode } from './api';

/** A parent before its children, as the cloud sends them, as a tree. note: beside the title. */
export function treeOf(nodes: readonly ProjectNode[], note: (node: ProjectNode) => string): readonly TreeNode[] {
  const children = new Map<number | null, ProjectNode[]>();
  for (const node of nodes) children.set(node.parent_id, [...(children.get(node.parent_id) ?? []), node]);
  const below = (parent: number | null): TreeNode[] =>
    (children.get(parent) ?? []).map((node) => {
      const made = { id: String(node.id), label: node.title, note: note(node) };
      return node.kind === 'group' ? { ...made, children: below(node.id), lazy: !children.has(node.id) } : made;
    });
  return below(null);
}

/** A node and all below it. */
export function subtree(nodes: readonly ProjectNode[], id: number): ReadonlySet<number> {
  const ids = new Set([id]);
  for (const node of nodes) if (node.parent_id !== null && ids.has(node.parent_id)) ids.add(node.id);
  return ids;
}

/** Titles from the top to the node itself. */
export function wayOf(nodes: readonly ProjectNode[], id: number): string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const way: string[] = [];
  for (
    let node = byId.get(id);
    node !== undefined;
    node = node.parent_id === null ? undefined : byId.get(node.parent_id)
  )
    way.unshift(node.title);
  return way.join(' / ');
}

/** Only groups hold nodes. */
export function mayMove(nodes: readonly ProjectNode[], { target, position }: TreeMove): boolean {
  return position !== 'inside' || nodes.find((node) => String(node.id) === target)?.kind === 'group';
}

/** Where a dragged node goes: its new parent, and how many siblings stand before it. */
export function placeOf(
  nodes: readonly ProjectNode[],
  { id, target, position }: TreeMove,
): { parent_id: number | null; place: number } | null {
  const at = nodes.find((node) => String(node.id) === target);
  if (at === undefined || !mayMove(nodes, { id, target, position })) return null;
  const parent = position === 'inside' ? at.id : at.parent_id;
  const siblings = nodes.filter((node) => node.parent_id === parent && String(node.id) !== id);
  if (position === 'inside') return { parent_id: parent, place: siblings.length };
  const place = siblings.findIndex((node) => node.id === at.id);
  return { parent_id: parent, place: position === 'before' ? place : place + 1 };
}

/** What may take what a node holds when it goes: nodes of its kind that are not in it. */
export function heirs(nodes: readonly ProjectNode[], of: ProjectNode): readonly ProjectNode[] {
  const going = subtree(nodes, of.id);
  return nodes.filter((node) => node.kind === of.kind && !going.has(node.id));
}
