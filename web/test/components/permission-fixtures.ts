import { screen } from '@testing-library/react';
import type { PermissionRow } from '@/api/generated/types.gen';

export function permission(code: string, parent = '', changes: Partial<PermissionRow> = {}): PermissionRow {
  return {
    code,
    parent,
    zh: `中 ${code}`,
    en: `The ${code}`,
    types: [1, 2, 3],
    kind: 'menu',
    enabled: true,
    announced: false,
    ...changes,
  };
}

export const field = (name: string): HTMLInputElement => screen.getByTestId<HTMLInputElement>(name);
export const query = (): Record<string, string> => Object.fromEntries(new URLSearchParams(window.location.search));
export const nodes = (): (string | undefined)[] =>
  screen.queryAllByTestId('tree-node').map(({ dataset }) => dataset.id);
export const node = (code: string): HTMLElement => {
  const found = screen.getAllByTestId('tree-node').find(({ dataset }) => dataset.id === code);
  if (found === undefined) throw new Error(`${code} is not in the tree`);
  return found;
};
