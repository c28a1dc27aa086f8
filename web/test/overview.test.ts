import { expect, test } from 'vitest';
import { toggledDevice } from '@/blocks/devices/favouriteDevices';
import type { Problem } from '@/features/overview/api';
import { Changes, waitMs } from '@/features/overview/changes';
import { dotsIn } from '@/features/overview/dots';
import { moreOf, placeOf } from '@/features/overview/problem';
import { shareText } from '@/features/overview/share';
import { drawn } from '@/features/overview/spark';

const problem = (more: Partial<Problem>): Problem => ({
  kind: 'slave_silent',
  severity: 'warning',
  since_ms: 1,
  device_id: 7,
  device_title: 'Mill',
  gateway_id: 'gw-7',
  ...more,
});

test.each([
  ['gateway_offline', '/deviceDetail/index', { device_id: 7, tab: 'info' }],
  ['slave_silent', '/deviceDetail/index', { device_id: 7, tab: 'slaves' }],
  ['clock_not_set', '/deviceDetail/index', { device_id: 7, tab: undefined }],
  ['deployment_failed', '/deviceDetail/index', { device_id: 7, tab: 'configuration' }],
  ['alarm_open', '/alarm/alarmlog', { device: 7, status: 0, range: 'oneYear' }],
] as const)('%s leads to where one acts', (kind, path, search) => {
  expect(placeOf({ kind, device_id: 7 })).toEqual({ path, search });
});

test('what is not shown is counted, folded slaves by their number', () => {
  // A link with a number leads to a list of that number only.
  const [alarms, gateways] = moreOf(
    {
      rows: [],
      counts: [
        { kind: 'alarm_open', total: 7 },
        { kind: 'gateway_offline', total: 9 },
      ],
    },
    [],
  );
  expect([alarms?.place, alarms?.see?.name, gateways?.place?.search]).toEqual([
    undefined,
    'alarm_open',
    { status: 'away' },
  ]);
  const shown = [problem({ kind: 'no_slave_answers', count: 3 }), problem({}), problem({ kind: 'gateway_offline' })];
  const counts = [
    { kind: 'slave_silent', total: 6 },
    { kind: 'gateway_offline', total: 1 },
  ] as const;
  const more = moreOf({ rows: [...shown], counts: [...counts] }, shown);
  expect(more.map(({ kind, count, place }) => [kind, count, place])).toEqual([['slave_silent', 2, undefined]]);
});

test('a share is never rounded up, and nothing known is no figure', () => {
  expect([shareText(100), shareText(99.999), shareText(98.5), shareText(0), shareText(null)]).toEqual([
    '100 %',
    '99.999 %',
    '98.50 %',
    '0.00 %',
    '–',
  ]);
});

test('a gap breaks the line of a trend, a number alone is a dot', () => {
  const line = drawn({ t_ms: [0, 10, 20, 30, 40], v: [1, 3, null, 2, null] }, 0, 40, 40, 10);
  expect(line).toEqual({ path: 'M0.0 10.0L10.0 0.0M30.0 5.0h0', min: 1, max: 3 });
  expect(drawn({ t_ms: [0], v: [null] }, 0, 40, 40, 10)).toBeNull();
  expect(drawn({ t_ms: [0, 40], v: [5, 5] }, 0, 40, 40, 10)?.path).toBe('M0.0 5.0L40.0 5.0');
});

test('places fill their box in proportion, the worst above the others', () => {
  const place = (device_id: number, longitude: number, latitude: number) => ({
    device_id,
    device_title: '',
    longitude,
    latitude,
    status: 'online',
  });
  const dots = dotsIn({ dots: [place(1, 120, 30), place(2, 121, 31)] }, 320, 170);
  expect(dots.map(({ id }) => id)).toEqual([2, 1]);
  for (const { x, y } of dots) expect(x >= 8 && x <= 312 && y >= 8 && y <= 162).toBe(true);
  expect(dots[0]!.y).toBeLessThan(dots[1]!.y);
  expect(dotsIn({ dots: [place(1, 120, 30)] }, 320, 170)).toEqual([expect.objectContaining({ x: 160, y: 85 })]);
});

test('a push that says the same asks for nothing, one of another state does', () => {
  const changes = new Changes();
  const push = (status: string, count = 0) => ({ did: 7, presence: { status, code: 'x', arguments: { count } } });
  changes.answered([{ device_id: 7, status: 'online' }]);
  expect(changes.isChange(push('online'))).toBe(false);
  expect(changes.isChange(push('online'))).toBe(false);
  expect(changes.isChange(push('partly', 1))).toBe(true);
  expect(changes.isChange(push('partly', 1))).toBe(false);
  expect(changes.isChange(push('partly', 2))).toBe(true);
  expect(new Changes().isChange(push('offline'))).toBe(true);
});

test('the page takes a tenth of the time of the cloud at most', () => {
  expect(waitMs(10_000, 0, 100)).toBe(0);
  expect(waitMs(500, 0, 100)).toBe(1_500);
  expect(waitMs(500, 0, 1_000)).toBe(9_500);
});

test('a marked gateway comes first and goes again; there are at most twenty', () => {
  expect(toggledDevice([1, 2], 3)).toEqual([3, 1, 2]);
  expect(toggledDevice([3, 1, 2], 1)).toEqual([3, 2]);
  expect(
    toggledDevice(
      Array.from({ length: 20 }, (_, at) => at),
      99,
    ),
  ).toHaveLength(20);
});
