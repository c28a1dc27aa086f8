import type { ReactElement } from 'react';
import type { TimeChart as RealChart } from '@/charts/TimeChart';

/** In place of a chart, which draws on a canvas: its limits as buttons that move them up by 1.5. */
export function TimeChart({ handles, notes, onHandle }: Parameters<typeof RealChart>[0]): ReactElement {
  return (
    <div data-testid="time-chart" data-spans={JSON.stringify(notes?.spans)}>
      {handles?.map(({ id, value, clear }) => (
        <button key={id} type="button" onClick={() => onHandle?.(id, value + 1.5, true)} data-testid={`move-${id}`}>
          {`${value} ${clear}`}
        </button>
      ))}
    </div>
  );
}
