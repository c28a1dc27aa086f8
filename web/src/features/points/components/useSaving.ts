import { useState } from 'react';
import { useTab } from '@/lib/tab';
import { GROUPS } from '@/blocks/points/columns';
import { isNeverSaved } from '@/blocks/points/kinds';
import type { Point } from '@/blocks/points/point';
import type { Cell } from '@/blocks/points/point';
import type { Sought } from '@/components/sheet/types';
import type { PointEdit } from './usePointEdit';

interface Saving {
  save: () => void;
  /** Cells because of which nothing was sent; 0 when none or once rows have changed. */
  stopped: number;
  /** The cell to go to. */
  seek: Sought | null;
}

type GroupOf = (field: string) => (typeof GROUPS)[number] | undefined;

/** Saving goes to the first cell with which the cloud would keep nothing, or to the one that it refused. */
export function useSaving(points: PointEdit, cells: readonly (readonly Cell[])[], groupOf: GroupOf): Saving {
  const { setSearch } = useTab();
  const [stop, setStop] = useState<{ rows: readonly Point[]; count: number } | null>(null);
  const [seek, setSeek] = useState<Sought | null>(null);
  const { edit } = points;
  const goTo = (row: number, field: string): void => {
    const group = groupOf(field);
    if (field !== 'ds_name') setSearch({ group: group === undefined || group === 'basic' ? undefined : group });
    setSeek({ row, column: field });
  };
  const save = (): void => {
    const rows = edit?.rows ?? [];
    const known = new Set(edit?.original);
    const rowFaults = rows.flatMap((point, at) =>
      known.has(point) ? [] : (cells[at] ?? []).filter(isNeverSaved).map(({ field }) => ({ key: point.key, field })),
    );
    const [first] = rowFaults;
    setStop(first === undefined ? null : { rows, count: rowFaults.length });
    if (first === undefined) points.save(({ point, field }) => goTo(point.key, field));
    else goTo(first.key, first.field);
  };
  return { save, stopped: stop !== null && stop.rows === edit?.rows ? stop.count : 0, seek };
}
