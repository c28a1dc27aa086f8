import type { CloudFlags } from '@/lib/screens';
import type { TreeNode } from '@/lib/tree';

/** A permission as the cloud lists it; parents come before children. */
export interface Named {
  code: string;
  parent: string;
  zh: string;
  en: string;
  types: readonly number[];
  kind: string;
  enabled: boolean;
  /** Opens only what is not built yet. */
  announced: boolean;
}

/** Permissions that a platform offers: those of announced pages only while it shows them. */
export function offered<P extends Named>(permissions: readonly P[], { announced }: CloudFlags): P[] {
  return permissions.filter((each) => announced !== 0 || !each.announced);
}

export function nameOf(permission: Pick<Named, 'zh' | 'en'>, language: string): string {
  return language === 'zh' ? permission.zh : permission.en;
}

/** Permissions that users of a type can have. */
export function ofType<P extends Named>(permissions: readonly P[], type: number): P[] {
  return permissions.filter(({ types }) => types.includes(type));
}

/**
 * The tree of permissions with names in a language and codes beside them. Those whose parent is left out stand at the top,
 * so that none is lost.
 */
export function permissionTree(permissions: readonly Named[], language: string): TreeNode[] {
  const known = new Set(permissions.map(({ code }) => code));
  const below = new Map<string, Named[]>();
  for (const each of permissions) {
    const parent = known.has(each.parent) ? each.parent : '';
    below.set(parent, [...(below.get(parent) ?? []), each]);
  }
  const nodes = (parent: string): TreeNode[] =>
    (below.get(parent) ?? []).map((each) => {
      const children = nodes(each.code);
      return {
        id: each.code,
        label: nameOf(each, language),
        note: each.code,
        ...(children.length === 0 ? {} : { children }),
      };
    });
  return nodes('');
}

/** The permission with all above it, as 'Users / Sign-in log'. */
export function wayOf(permissions: readonly Named[], code: string, language: string): string {
  const match = permissions.find((each) => each.code === code);
  if (match === undefined) return code;
  const name = nameOf(match, language);
  return match.parent === '' ? name : `${wayOf(permissions, match.parent, language)} / ${name}`;
}
