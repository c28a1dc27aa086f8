import { create } from 'zustand';
import { persist } from 'zustand/middleware';

/** How a user wants the columns of one table. Columns that it does not name stand where the program puts them. */
export interface ColumnChoice {
  /** Ids from left to right. */
  order: readonly string[];
  hidden: readonly string[];
  /** Pixels by id. */
  widths: Readonly<Record<string, number>>;
}

export const AS_MADE: ColumnChoice = { order: [], hidden: [], widths: {} };
export const MIN_COLUMN_PX = 56;
export const MAX_COLUMN_PX = 800;

interface Made {
  id: string;
  /** Not shown until it is asked for. */
  hidden?: boolean;
  /** Always shown. */
  fixed?: boolean;
}

/** All columns in the user's order; a column that is new in the program keeps its place beside its neighbour. */
export function ordered<C extends Made>(columns: readonly C[], choice: ColumnChoice | undefined): readonly C[] {
  if (choice === undefined || choice.order.length === 0) return columns;
  const known = new Map(columns.map((column) => [column.id, column]));
  const result = choice.order.flatMap((id) => known.get(id) ?? []);
  columns.forEach((column, at) => {
    if (result.includes(column)) return;
    const before = columns[at - 1];
    result.splice(before === undefined ? 0 : result.indexOf(before) + 1, 0, column);
  });
  return result;
}

export function isVisible(column: Made, choice: ColumnChoice | undefined): boolean {
  if (column.fixed === true) return true;
  if (choice === undefined || choice === AS_MADE) return column.hidden !== true;
  if (choice.hidden.includes(column.id)) return false;
  return column.hidden !== true || choice.order.includes(column.id);
}

/** Show or hide a column. Its id in 'order' says that a column made hidden was asked for. */
export function toggled<C extends Made>(columns: readonly C[], choice: ColumnChoice, id: string): ColumnChoice {
  const visible = ordered(columns, choice)
    .filter((column) => isVisible(column, choice))
    .map((column) => column.id);
  if (visible.includes(id))
    return { ...choice, order: visible.filter((each) => each !== id), hidden: [...choice.hidden, id] };
  return { ...choice, order: withPlace(columns, visible, id), hidden: choice.hidden.filter((each) => each !== id) };
}

function withPlace<C extends Made>(columns: readonly C[], visible: readonly string[], id: string): string[] {
  const at = columns.findIndex((column) => column.id === id);
  const before = columns.slice(0, at).findLast((column) => visible.includes(column.id));
  const result = [...visible];
  result.splice(before === undefined ? 0 : result.indexOf(before.id) + 1, 0, id);
  return result;
}

/** Move a shown column by so many places. */
export function moved<C extends Made>(
  columns: readonly C[],
  choice: ColumnChoice,
  id: string,
  by: number,
): ColumnChoice {
  const order = ordered(columns, choice)
    .filter((column) => isVisible(column, choice))
    .map((column) => column.id);
  const from = order.indexOf(id);
  const to = Math.max(0, Math.min(order.length - 1, from + by));
  if (from < 0 || from === to) return choice;
  order.splice(to, 0, ...order.splice(from, 1));
  return { ...choice, order };
}

export function widened(choice: ColumnChoice, id: string, px: number): ColumnChoice {
  const width = Math.round(Math.max(MIN_COLUMN_PX, Math.min(MAX_COLUMN_PX, px)));
  return { ...choice, widths: { ...choice.widths, [id]: width } };
}

interface ColumnChoices {
  /** By user, then by table. */
  choices: Readonly<Record<string, Tables>>;
  /** Users whose last change has not reached the cloud. */
  unsaved: readonly string[];
  choose: (user: string, table: string, choice: ColumnChoice | null) => void;
  /** Take over what the cloud has, or told that it has it all. */
  adopt: (user: string, tables: Tables) => void;
}

/** Choices by the name of their table. */
export type Tables = Readonly<Record<string, ColumnChoice>>;

/** Kept in this browser for each of its users apart, so that a table is drawn right at once; the cloud has a copy. */
export const useColumnChoices = create<ColumnChoices>()(
  persist(
    (set) => ({
      choices: {},
      unsaved: [],
      choose: (user, table, choice) =>
        set(({ choices, unsaved }) => {
          const { [table]: _before, ...others } = choices[user] ?? {};
          const tables = choice === null ? others : { ...others, [table]: choice };
          return { choices: { ...choices, [user]: tables }, unsaved: [...new Set([...unsaved, user])] };
        }),
      adopt: (user, tables) =>
        set(({ choices, unsaved }) => ({
          choices: { ...choices, [user]: tables },
          unsaved: unsaved.filter((each) => each !== user),
        })),
    }),
    { name: 'edge.columns', version: 1 },
  ),
);
