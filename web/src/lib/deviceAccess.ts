/** Why a user may not change a gateway: his account lacks the permission, or the gateway is shared with him read only. */
export type Hindrance = 'permission' | 'readOnly';

/** The cloud decides the same way: everything that reaches the gateway or changes what is kept of it needs both. */
export function hindranceOf(permitted: boolean, { writes }: { writes: boolean }): Hindrance | null {
  if (!permitted) return 'permission';
  return writes ? null : 'readOnly';
}
