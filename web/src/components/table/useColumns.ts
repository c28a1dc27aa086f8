import { useContext, useMemo } from 'react';
import { AS_MADE, isVisible, moved, ordered, toggled, useColumnChoices, widened } from '@/lib/columnChoice';
import type { ColumnChoice } from '@/lib/columnChoice';
import { useSession } from '@/lib/session';
import { AddressColumnsContext, choiceOfIds, idsOfChoice } from './addressColumns';
import type { Column } from './columns';

export interface Columns<Row> {
  /** In the user's order, shown ones only. */
  visible: readonly Column<Row>[];
  /** In the user's order, all of them. */
  all: readonly Column<Row>[];
  choice: ColumnChoice;
  isVisible: (column: Column<Row>) => boolean;
  toggle: (id: string) => void;
  move: (id: string, by: number) => void;
  /** Keep the widths of all shown columns. */
  setWidths: (widths: Readonly<Record<string, number>>) => void;
  reset: () => void;
}

/** Columns of a table as its user wants them, or as its address names them. */
export function useColumns<Row>(table: string, columns: readonly Column<Row>[]): Columns<Row> {
  const user = useSession((state) => String(state.user?.id ?? ''));
  const choose = useColumnChoices((state) => state.choose);
  const stored = useColumnChoices((state) => state.choices[user]?.[table]);
  const address = useContext(AddressColumnsContext);
  return useMemo(() => {
    const own = stored ?? AS_MADE;
    const named = address?.ids ? choiceOfIds(columns, address.ids, own) : null;
    const keep = (next: ColumnChoice | null): void => {
      if (named === null || address === null) choose(user, table, next);
      else address.set(next === null ? null : idsOfChoice(columns, next));
    };
    const choice = named ?? own;
    const all = ordered(columns, choice);
    return {
      all,
      visible: all.filter((column) => isVisible(column, choice)),
      choice,
      isVisible: (column) => isVisible(column, choice),
      toggle: (id) => keep(toggled(columns, choice, id)),
      move: (id, by) => keep(moved(columns, choice, id, by)),
      setWidths: (widths) =>
        choose(
          user,
          table,
          Object.entries(widths).reduce((sum, [id, px]) => widened(sum, id, px), own),
        ),
      reset: () => keep(null),
    };
  }, [stored, columns, user, table, address, choose]);
}
