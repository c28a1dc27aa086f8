import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { fieldAt } from '@/blocks/points/document';
import type { CellFault } from '@/components/sheet/types';
import { showUndo } from '@/components/undo';
import { useMay } from '@/lib/session';
import { attachTemplate, detachTemplate, linksQuery, overridesQuery } from '../api';
import type { GatewayLink } from '../api';

type Marks = ReadonlyMap<string, ReadonlyMap<string, CellFault>>;

export interface SlaveTemplate {
  /** The template that the slave's points are made with; undefined without one. */
  link: GatewayLink | undefined;
  /** Fields that differ from it, by point and field, in words. */
  marks: Marks;
  /** Rows of the template that were taken out. */
  removed: readonly string[];
  /** The slave leaves its template, or only these points do; it can be taken back for a moment. */
  detach: (points: readonly string[] | null) => void;
  isWorking: boolean;
}

const NONE: Marks = new Map();
const NO_ROWS: readonly string[] = [];

/** Which template a slave uses, and what of its points is its own. */
export function useTemplate(deviceId: number, slave: string): SlaveTemplate {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const may = useMay('DeviceManage');
  const links = useQuery({ ...linksQuery(deviceId), enabled: may });
  const link = links.data?.find((each) => each.slave === slave);
  const { data } = useQuery({
    ...overridesQuery(deviceId, slave),
    enabled: may && link !== undefined && link.title !== null,
  });
  const marks = useMemo((): Marks => {
    if (data === undefined) return NONE;
    const byRow = new Map<string, Map<string, CellFault>>();
    for (const { row, field, template_value } of data) {
      if (field === '') continue;
      const value =
        template_value === null || template_value === undefined
          ? '\u2014'
          : typeof template_value === 'object'
            ? JSON.stringify(template_value)
            : String(template_value);
      const fields = byRow.get(row) ?? new Map<string, CellFault>();
      byRow.set(row, fields.set(fieldAt(field), { level: 'note', text: t('points:template.cell', { value }) }));
    }
    return byRow;
  }, [data, t]);
  const removed = useMemo(() => data?.filter(({ field }) => field === '').map(({ row }) => row) ?? NO_ROWS, [data]);
  const renew = (): void => {
    void cache.invalidateQueries({ queryKey: ['points', deviceId] });
    void cache.invalidateQueries({ queryKey: ['configuration', deviceId] });
    void cache.invalidateQueries({ queryKey: ['template'] });
  };
  const working = useMutation({
    mutationFn: async ({ points, before }: { points: readonly string[] | null; before: GatewayLink }) => {
      await detachTemplate(deviceId, slave, points);
      return before;
    },
    onSuccess: (before, { points }) => {
      renew();
      const words =
        points === null
          ? t('points:template.detached', { slave })
          : t('points:template.detachedPoints', { count: points.length });
      const back = async (): Promise<void> => {
        await attachTemplate(deviceId, before);
        renew();
      };
      showUndo(words, back, t('points:template.attached'));
    },
  });
  return {
    link,
    marks,
    removed,
    detach: (points) => link !== undefined && working.mutate({ points, before: link }),
    isWorking: working.isPending,
  };
}
