import type { TreeNode } from '@/lib/tree';
import type { TemplateRow } from '../api';

/** The rows as a tree, each level in the order of its places. */
export function treeOf(rows: readonly TemplateRow[], noteOf: (row: TemplateRow) => string): readonly TreeNode[] {
  const below = new Map<number | null, TemplateRow[]>();
  for (const row of rows) below.set(row.parent_id, [...(below.get(row.parent_id) ?? []), row]);
  const level = (parent: number | null): readonly TreeNode[] =>
    (below.get(parent) ?? []).map((row) => {
      const node: TreeNode = { id: String(row.template_id), label: row.title, note: noteOf(row) };
      return row.kind === 'group' ? { ...node, children: level(row.template_id) } : node;
    });
  return level(null);
}

/** Ids of a node and of all that is below it, by parent_id. */
export function withBelow(rows: readonly TemplateRow[], id: number): ReadonlySet<number> {
  const ids = new Set([id]);
  let size = 0;
  while (size !== ids.size) {
    size = ids.size;
    for (const { template_id, parent_id } of rows) if (parent_id !== null && ids.has(parent_id)) ids.add(template_id);
  }
  return ids;
}

/** Groups that a node can be put into. */
export function groupsFor(rows: readonly TemplateRow[], id: number | null): readonly TemplateRow[] {
  const own = id === null ? new Set<number>() : withBelow(rows, id);
  return rows.filter((row) => row.kind === 'group' && row.writes && !own.has(row.template_id));
}

interface Dragged {
  id: string;
  target: string;
  position: 'before' | 'after' | 'inside';
}

/** Where a dragged node goes: a group, null for the top, and its place there; null when it may not. */
export function droppedAt(
  rows: readonly TemplateRow[],
  { id, target, position }: Dragged,
): { parent: number | null; place: number | undefined } | null {
  const find = (wanted: string): TemplateRow | undefined =>
    rows.find(({ template_id }) => String(template_id) === wanted);
  const [row, beside] = [find(id), find(target)];
  if (row === undefined || beside === undefined || !row.writes || row === beside) return null;
  const parent = position === 'inside' ? beside.template_id : beside.parent_id;
  if (parent !== null && !groupsFor(rows, row.template_id).some(({ template_id }) => template_id === parent))
    return null;
  if (position === 'inside') return { parent, place: undefined };
  if (parent === null && beside.owner !== row.owner) return null;
  const siblings = rows.filter(
    (each) => each.parent_id === parent && each !== row && (parent !== null || each.owner === row.owner),
  );
  return { parent, place: siblings.indexOf(beside) + (position === 'after' ? 1 : 0) };
}

/** Where a node goes when it is moved by one among its siblings; null at the end. */
export function placeBeside(rows: readonly TemplateRow[], id: number, by: -1 | 1): number | null {
  const row = rows.find((each) => each.template_id === id);
  if (row === undefined) return null;
  const siblings = rows.filter((each) => each.parent_id === row.parent_id && each.owner === row.owner);
  const place = siblings.indexOf(row) + by;
  return place < 0 || place >= siblings.length ? null : place;
}
