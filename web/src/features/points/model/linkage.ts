import type { Point } from '@/blocks/points/point';

/** A preset that is carried out when the alarm begins or ends. */
export interface Linkage {
  on: 'raised' | 'cleared';
  preset_id: number;
}

export function linkagesOf({ fields }: Point): readonly Linkage[] {
  return Array.isArray(fields.alarm_linkage) ? (fields.alarm_linkage as Linkage[]) : [];
}
