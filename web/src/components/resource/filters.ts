import type { ReactNode } from 'react';
import type { QuickRange } from '@/lib/time';

export interface Option {
  value: string;
  label: string;
}

/** A filter of a list. Its value stands in the address under its name. */
export type Filter =
  | { kind: 'search'; name: string; label: string }
  | { kind: 'select'; name: string; label: string; options: readonly Option[] }
  /** A choice of few that is always in view. */
  | { kind: 'segments'; name: string; label: string; options: readonly Option[] }
  /** Nine quick ranges or a start and an end; the list is asked with span. One a list. */
  | { kind: 'range'; fallback: QuickRange }
  | { kind: 'own'; name: string; render: (value: string, set: (value: string | undefined) => void) => ReactNode };

/** Names of the address that filter; a period always has one and filters nothing away by itself. */
export function filterNames(filters: readonly Filter[]): string[] {
  return filters.flatMap((filter) => (filter.kind === 'range' ? [] : [filter.name]));
}

/** How many filters are set, the search aside: the button that opens them on a phone says so. */
export function setCount(
  filters: readonly Filter[],
  values: Readonly<Record<string, string>>,
  rangeIsOwn: boolean,
): number {
  return filters.filter((filter) => {
    if (filter.kind === 'search') return false;
    return filter.kind === 'range' ? rangeIsOwn : (values[filter.name] ?? '') !== '';
  }).length;
}

export function rangeOf(filters: readonly Filter[]): QuickRange | null {
  return filters.find((filter) => filter.kind === 'range')?.fallback ?? null;
}
