import { expect, test } from 'vitest';
import { fileNameOf } from '@/blocks/history/fileName';
import { notesOf } from '@/blocks/history/notes';
import type { Spans } from '@/blocks/history/api';
import type { DeviceSource } from '@/blocks/history/useSources';

test('a time that gateway and slave were away is hatched once', () => {
  const offline = [
    { start_ms: 40, end_ms: 90 },
    { start_ms: 10, end_ms: 50 },
    { start_ms: 200, end_ms: null },
  ];
  expect(notesOf({ offline, alarms: [] } as unknown as Spans).spans).toEqual([
    { startMs: 10, endMs: 90 },
    { startMs: 200, endMs: null },
  ]);
});

test('a file is named by gateway, points and period, with nothing that file systems refuse', () => {
  const points = ['p/h', 'Speed', 'Load', 'Level'].map(
    (ds_title) => ({ deviceTitle: 'Mill: 1', ds_title }) as DeviceSource,
  );
  const span = { start_ms: new Date(2026, 10, 27, 4).getTime(), end_ms: new Date(2026, 10, 27, 5, 30).getTime() };
  expect(fileNameOf(points.slice(0, 1), span)).toBe('Mill- 1 p-h 2026-11-27 04-00-00 to 2026-11-27 05-30-00');
  expect(fileNameOf(points, span)).toContain('Mill- 1 p-h, Speed, Load +1 2026');
});
