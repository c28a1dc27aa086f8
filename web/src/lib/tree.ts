/** A node of a tree of anything: permissions, projects, users. */
export interface TreeNode {
  id: string;
  label: string;
  /** Beside the label. */
  note?: string;
  children?: readonly TreeNode[];
  /** Has children that are loaded when it is opened. */
  lazy?: boolean;
}

/** The nodes whose label or note has the text, with all below them and the way to them. */
export function matchingNodes(nodes: readonly TreeNode[], search: string): readonly TreeNode[] {
  const text = search.trim().toLowerCase();
  if (text === '') return nodes;
  return nodes.flatMap((node) => {
    if (`${node.label}\n${node.note ?? ''}`.toLowerCase().includes(text)) return [node];
    const children = matchingNodes(node.children ?? [], search);
    return children.length === 0 ? [] : [{ ...node, children }];
  });
}

/** Ids of a node and of all below it. */
export function idsBelow(node: TreeNode): string[] {
  return [node.id, ...(node.children ?? []).flatMap(idsBelow)];
}

/** The nodes from a root to the one with the id; empty when there is none. */
export function wayTo(nodes: readonly TreeNode[], id: string): readonly TreeNode[] {
  for (const node of nodes) {
    if (node.id === id) return [node];
    const way = wayTo(node.children ?? [], id);
    if (way.length > 0) return [node, ...way];
  }
  return [];
}

/**
 * Tick a node: with it all below, and those above, without which it could not be reached. Untick it: all below go too;
 * those above stay.
 */
export function ticked(nodes: readonly TreeNode[], checked: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const way = wayTo(nodes, id);
  const node = way.at(-1);
  if (node === undefined) return checked;
  const result = new Set(checked);
  if (checked.has(id)) {
    for (const each of idsBelow(node)) result.delete(each);
    return result;
  }
  for (const each of [...way.map((above) => above.id), ...idsBelow(node)]) result.add(each);
  return result;
}

/** How a node's tick is drawn: 'some' when it has the tick and not all below it do. */
export function tickOf(node: TreeNode, checked: ReadonlySet<string>): 'all' | 'some' | 'none' {
  const ids = idsBelow(node);
  const count = ids.reduce((sum, id) => sum + (checked.has(id) ? 1 : 0), 0);
  return count === 0 ? 'none' : count === ids.length ? 'all' : 'some';
}

/** The tree with the children of one node, which were loaded. */
export function withChildren(
  nodes: readonly TreeNode[],
  id: string,
  children: readonly TreeNode[],
): readonly TreeNode[] {
  return nodes.map((node) => {
    if (node.id === id) return { ...node, children };
    return node.children === undefined ? node : { ...node, children: withChildren(node.children, id, children) };
  });
}
