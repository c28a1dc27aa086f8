import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { AS_MADE, isShown, moved, ordered, toggled, useColumnChoices, widened } from '@/lib/columnChoice';
import type { ColumnChoice } from '@/lib/columnChoice';
import { useSession } from '@/lib/session';
import type { Column } from './columns';
import { chooseColumns, keptColumnsQuery } from './keptColumns';

export interface Columns<Row> {
  /** In the user's order, shown ones only. */
  shown: readonly Column<Row>[];
  /** In the user's order, all of them. */
  all: readonly Column<Row>[];
  choice: ColumnChoice;
  isShown: (column: Column<Row>) => boolean;
  toggle: (id: string) => void;
  move: (id: string, by: number) => void;
  /** Keep the widths of all shown columns. */
  setWidths: (widths: Readonly<Record<string, number>>) => void;
  reset: () => void;
}

/** Columns of a table as its user wants them. */
export function useColumns<Row>(table: string, columns: readonly Column<Row>[]): Columns<Row> {
  const user = useSession((state) => String(state.user?.id ?? ''));
  useQuery(keptColumnsQuery(user));
  const kept = useColumnChoices((state) => state.choices[user]?.[table]);
  return useMemo(() => {
    const keep = (next: ColumnChoice | null): void => chooseColumns(user, table, next);
    const choice = kept ?? AS_MADE;
    const all = ordered(columns, choice);
    return {
      all,
      shown: all.filter((column) => isShown(column, choice)),
      choice,
      isShown: (column) => isShown(column, choice),
      toggle: (id) => keep(toggled(columns, choice, id)),
      move: (id, by) => keep(moved(columns, choice, id, by)),
      setWidths: (widths) => keep(Object.entries(widths).reduce((sum, [id, px]) => widened(sum, id, px), choice)),
      reset: () => keep(null),
    };
  }, [kept, columns, user, table]);
}
