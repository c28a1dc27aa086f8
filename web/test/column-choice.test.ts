import { expect, test } from 'vitest';
import {
  AS_MADE,
  isVisible,
  MAX_COLUMN_PX,
  MIN_COLUMN_PX,
  moved,
  ordered,
  toggled,
  useColumnChoices,
  widened,
} from '@/lib/columnChoice';
import type { ColumnChoice } from '@/lib/columnChoice';

const COLUMNS = [{ id: 'name', fixed: true }, { id: 'type' }, { id: 'mail', hidden: true }, { id: 'city' }];

function shown(choice: ColumnChoice, columns = COLUMNS): string[] {
  return ordered(columns, choice)
    .filter((column) => isVisible(column, choice))
    .map((column) => column.id);
}

test('as made, shown, hidden again', () => {
  expect(shown(AS_MADE)).toEqual(['name', 'type', 'city']);
  const withMail = toggled(COLUMNS, AS_MADE, 'mail');
  expect(shown(withMail)).toEqual(['name', 'type', 'mail', 'city']);
  expect(shown(toggled(COLUMNS, withMail, 'mail'))).toEqual(['name', 'type', 'city']);
  const withoutType = toggled(COLUMNS, withMail, 'type');
  expect(shown(withoutType)).toEqual(['name', 'mail', 'city']);
  expect(shown(toggled(COLUMNS, withoutType, 'type'))).toEqual(['name', 'type', 'mail', 'city']);
});

test('moved among the shown ones; past the ends nothing happens', () => {
  const first = moved(COLUMNS, AS_MADE, 'city', -1);
  expect(shown(first)).toEqual(['name', 'city', 'type']);
  expect(moved(COLUMNS, first, 'name', -1)).toBe(first);
  expect(moved(COLUMNS, first, 'none', 1)).toBe(first);
  expect(shown(moved(COLUMNS, first, 'name', 5))).toEqual(['city', 'type', 'name']);
});

test('a release adds, moves and drops columns: the choice stays, new ones stand beside their neighbour', () => {
  const choice = moved(COLUMNS, AS_MADE, 'city', -1);
  const next = [{ id: 'name', fixed: true }, { id: 'type' }, { id: 'phone' }, { id: 'city' }];
  expect(shown(choice, next)).toEqual(['name', 'city', 'type', 'phone']);
  expect(shown(choice, [{ id: 'new' }, { id: 'name', fixed: true }])).toEqual(['new', 'name']);
});

test('widths have bounds', () => {
  expect(widened(AS_MADE, 'a', 1).widths.a).toBe(MIN_COLUMN_PX);
  expect(widened(AS_MADE, 'a', 9999).widths.a).toBe(MAX_COLUMN_PX);
  expect(widened(AS_MADE, 'a', 120.4).widths).toEqual({ a: 120 });
});

test('each user has choices of his own; what the cloud has not got is remembered', () => {
  const { choose, adopt } = useColumnChoices.getState();
  choose('1', 'users', widened(AS_MADE, 'a', 100));
  choose('2', 'users', widened(AS_MADE, 'a', 200));
  expect(useColumnChoices.getState().choices['1']?.users?.widths.a).toBe(100);
  expect(useColumnChoices.getState().unsaved).toEqual(['1', '2']);
  adopt('1', {});
  expect(useColumnChoices.getState().unsaved).toEqual(['2']);
  choose('2', 'users', null);
  expect(useColumnChoices.getState().choices['2']).toEqual({});
});
