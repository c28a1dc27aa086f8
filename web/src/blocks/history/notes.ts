import { mergedSpans } from '@/charts/annotations';
import type { Annotations } from '@/charts/annotations';
import type { Spans } from './api';

/** Times without good data, each hatched once however many say so: one shade has one meaning. Alarms as triangles. */
export function notesOf(spans: Spans | undefined): Annotations {
  return {
    spans: mergedSpans(
      (spans?.offline ?? []).map(({ start_ms, end_ms = null }) => ({ startMs: start_ms, endMs: end_ms })),
    ),
    marks: (spans?.alarms ?? []).map(({ t_ms, shown }) => ({
      tMs: t_ms,
      bad: shown !== 'success' && shown !== 'info',
    })),
  };
}
