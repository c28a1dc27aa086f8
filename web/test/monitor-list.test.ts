import { expect, test } from 'vitest';
import { addressOf, coordinatesOf } from '@/features/monitor/deviceFacts';
import { deviceTitle } from '@/lib/deviceTitle';
import { choicesOf, renamed, viewOf, withView } from '@/blocks/views/viewStore';
import { CHOICES, chosenOf, isChosen } from '@/features/monitor/monitorList';
import { inOrder, TAB_ORDER } from '@/features/monitor/tabOrder';
import { projectTree } from '@/lib/projectTree';

test('an address chooses points; what is not valid is not asked', () => {
  const all = {
    project_id: undefined,
    product_id: undefined,
    device_id: undefined,
    search: undefined,
    status: undefined,
    dsids: undefined,
  };
  expect(chosenOf({ project: '0', product: '3', device: 'x', search: '  ', points: '4,5' })).toEqual({
    ...all,
    project_id: 0,
    product_id: 3,
    dsids: '4,5',
  });
  expect(chosenOf({ project: '-1', product: '0', points: '4,,5' })).toEqual(all);
  expect([isChosen(all), isChosen({ ...all, project_id: 0 })]).toEqual([false, true]);
});

test('a view keeps the choice and nothing else of the address, and gives it back', () => {
  const query = viewOf({ project: '7', search: '泵 1', page: '3', view: 'tiles' }, CHOICES);
  expect(choicesOf(query, CHOICES)).toEqual({
    project: '7',
    product: undefined,
    device: undefined,
    search: '泵 1',
    points: undefined,
    view: 'tiles',
  });
  expect(query).not.toMatch(/[\s?#]/);
  const views = withView(withView([], { title: 'a', query: 'x=1' }), { title: 'b', query: '' });
  expect(withView(views, { title: 'a', query: 'x=2' })).toEqual([
    { title: 'a', query: 'x=2' },
    { title: 'b', query: '' },
  ]);
  expect(renamed(views, 'a', 'c')).toEqual([
    { title: 'c', query: 'x=1' },
    { title: 'b', query: '' },
  ]);
  expect([renamed(views, 'a', 'b'), renamed(views, 'a', ''), renamed(views, 'a', 'a')]).toEqual([null, null, views]);
});

test('tabs stand as the specification has them, others behind', () => {
  const tabs = ['remote', 'info', 'alarm', 'live', 'configuration', 'slaves'].map((name) => ({ name }));
  expect(inOrder(tabs).map(({ name }) => name)).toEqual(['slaves', 'live', 'alarm', 'info', 'remote', 'configuration']);
  expect(TAB_ORDER).toHaveLength(11);
});

test('what is shown of a device: the title in brackets, the parts of its address, its place', () => {
  expect([
    deviceTitle({ device_title: 'A', binder_devtitle: '' }),
    deviceTitle({ device_title: 'A', binder_devtitle: 'mine' }),
  ]).toEqual(['A', 'A (mine)']);
  const parts = {
    device_province: '江苏',
    device_city: '',
    device_district: '',
    device_address: 'Harbour 5',
    device_floorroom: '2',
  };
  expect(addressOf(parts)).toBe('江苏 Harbour 5 2');
  expect([
    coordinatesOf({ longitude: 121.5, latitude: 31.25 }),
    coordinatesOf({ longitude: null, latitude: 1 }),
  ]).toEqual(['121.500000, 31.250000', '']);
});

test('projects as a tree; one whose parent is not seen stands at the top', () => {
  const tree = projectTree([
    { id: 2, parent_id: 1, title: 'Line' },
    { id: 1, parent_id: null, title: 'Works', devices: 3 },
    { id: 9, parent_id: 8, title: 'Shared' },
  ]);
  expect(tree).toEqual([
    { id: '1', label: 'Works', note: '3', children: [{ id: '2', label: 'Line' }] },
    { id: '9', label: 'Shared' },
  ]);
});
