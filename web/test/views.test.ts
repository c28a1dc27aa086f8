import { expect, test } from 'vitest';
import { choiceOfIds, columnIds, idsOfChoice } from '@/components/table/addressColumns';
import type { Column } from '@/components/table/columns';
import { AS_MADE, isVisible, ordered, toggled } from '@/lib/columnChoice';

const COLUMNS: readonly Column<null>[] = [
  { id: 'title', title: '', cell: () => null, fixed: true },
  { id: 'status', title: '', cell: () => null },
  { id: 'imei', title: '', cell: () => null, hidden: true },
  { id: 'actions', title: '', cell: () => null },
];
const shown = (ids: readonly string[]): string[] => {
  const choice = choiceOfIds(COLUMNS, ids, AS_MADE);
  return choice === null
    ? []
    : ordered(COLUMNS, choice)
        .filter((column) => isVisible(column, choice))
        .map(({ id }) => id);
};

test('columns of an address stand as it names them, and none else but the one that is always there', () => {
  expect(columnIds('imei,title')).toEqual(['imei', 'title']);
  expect([columnIds(undefined), columnIds(''), columnIds('a,,b'), columnIds('a b'), columnIds('x'.repeat(41))]).toEqual(
    [null, null, null, null, null],
  );
  expect(shown(['imei', 'title'])).toEqual(['imei', 'title']);
  expect(shown(['imei', 'imei', 'gone'])).toEqual(expect.arrayContaining(['title', 'imei']));
  expect(shown(['imei', 'imei', 'gone'])).toHaveLength(2);
  expect(choiceOfIds(COLUMNS, ['gone'], AS_MADE)).toBeNull();
});

test('what the reader changes becomes the address, and his widths stay', () => {
  const own = { order: [], hidden: ['status'], widths: { imei: 120 } };
  const choice = choiceOfIds(COLUMNS, ['title', 'imei'], own);
  expect(choice?.widths).toEqual({ imei: 120 });
  expect(idsOfChoice(COLUMNS, toggled(COLUMNS, choice ?? AS_MADE, 'status'))).toEqual(['title', 'status', 'imei']);
  expect(idsOfChoice(COLUMNS, AS_MADE)).toEqual(['title', 'status', 'actions']);
});
