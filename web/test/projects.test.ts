import { describe, expect, it } from 'vitest';
import { percentOf, sizeText } from '@/blocks/jobs/jobs';
import { campaignOf, codeKey } from '@/blocks/jobs/campaign';
import { heirs, mayMove, placeOf, subtree, treeOf, wayOf } from '@/features/projects/projectTree';
import type { ProjectNode } from '@/features/projects/api';
import en from '@/features/projects/locales/en.json';
import { isJobPush } from '@/lib/live/pushes';

const node = (id: number, parent: number | null, kind: 'group' | 'project' = 'group'): ProjectNode => ({
  id,
  parent_id: parent,
  kind,
  title: `n${id}`,
  remark: '',
  owner_id: null,
  owner_name: '',
  place: 0,
  created_ms: 0,
  devices: id,
  online: 0,
  alarm: 0,
  silent: 0,
});

/** 1 (2 (3), 4), 5: as the cloud orders them. */
const NODES = [node(1, null), node(2, 1), node(3, 2, 'project'), node(4, 1, 'project'), node(5, null)];

it('a node without devices says so in the words of the specification', () => {
  expect(en.device.none.group).toBe('This group has no members');
});

describe('the tree of projects', () => {
  it('is made of a list', () => {
    const tree = treeOf(NODES, ({ devices }) => String(devices));
    expect(tree.map(({ id }) => id)).toEqual(['1', '5']);
    expect(tree[0]?.children?.map(({ id, note }) => [id, note])).toEqual([
      ['2', '2'],
      ['4', '4'],
    ]);
    expect(tree[0]?.children?.[1]?.children).toBeUndefined();
    expect(tree[1]?.lazy).toBe(true);
    expect(wayOf(NODES, 3)).toBe('n1 / n2 / n3');
    expect([...subtree(NODES, 2)]).toEqual([2, 3]);
  });

  it.each([
    [
      { id: '4', target: '2', position: 'before' },
      { parent_id: 1, place: 0 },
    ],
    [
      { id: '2', target: '4', position: 'after' },
      { parent_id: 1, place: 1 },
    ],
    [
      { id: '5', target: '2', position: 'after' },
      { parent_id: 1, place: 1 },
    ],
    [
      { id: '5', target: '1', position: 'before' },
      { parent_id: null, place: 0 },
    ],
    [
      { id: '4', target: '2', position: 'inside' },
      { parent_id: 2, place: 1 },
    ],
    [{ id: '2', target: '4', position: 'inside' }, null],
    [{ id: '2', target: '9', position: 'before' }, null],
  ] as const)('a node that is dragged goes to its place %#', (move, place) => {
    expect(placeOf(NODES, move)).toEqual(place);
    if (move.target !== '9') expect(mayMove(NODES, move)).toBe(place !== null);
  });

  it('leaves what it held to nodes of its kind outside of it', () => {
    expect(heirs(NODES, NODES[1] as ProjectNode).map(({ id }) => id)).toEqual([1, 5]);
    expect(heirs(NODES, NODES[2] as ProjectNode).map(({ id }) => id)).toEqual([4]);
  });
});

describe('jobs', () => {
  it.each([
    [0, '0 B'],
    [900, '900 B'],
    [3482, '3.4 KB'],
    [250 * 1024, '250 KB'],
    [5 * 1024 ** 3, '5.0 GB'],
  ])('%i bytes are %s', (bytes, text) => {
    expect(sizeText(bytes)).toBe(text);
  });

  it('say how far they are', () => {
    expect(percentOf({ state: 'generating', done: 1, total: 3 })).toBe(33);
    expect(percentOf({ state: 'generating', done: 0, total: 0 })).toBeNull();
    expect(percentOf({ state: 'completed', done: 0, total: 0 })).toBe(100);
    expect(isJobPush({ type: 'job', id: 1, state: 'failed', done: 0, total: 0 })).toBe(true);
    expect(isJobPush({ type: 'job', id: '1' })).toBe(false);
  });

  it('of a campaign tell of every gateway', () => {
    const row = { device_id: 1, device_title: 'd', gateway_id: 'g', step: 'done', state: 'confirmed', code: '' };
    const found = campaignOf({ rows: [row, { ...row, step: 'unheard of' }], counts: {} });
    expect(found?.rows).toEqual([row]);
    expect(found?.counts.get('done')).toBe(1);
    expect(campaignOf(null)).toBeNull();
    expect(codeKey('local_edit')).toBe('base:campaign.code.local_edit');
    expect(codeKey('strange')).toBeNull();
  });
});
