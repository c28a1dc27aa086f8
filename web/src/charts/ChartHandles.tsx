import { useRef } from 'react';
import type { KeyboardEvent, PointerEvent, ReactElement } from 'react';
import { formatNumber } from '@/lib/numbers';
import classes from './charts.module.css';
import { movedBy, offsetOf, valueAt } from './handles';
import type { ChartHandle, PlotArea } from './handles';

const LEAST_MOVE_PX = 3;

interface Props {
  handles: readonly ChartHandle[];
  area: PlotArea;
  /** While it is dragged isFinal is false. */
  onMove: (id: string, value: number, isFinal: boolean) => void;
}

/** Lines over the plot that are moved by pointer, finger or keys. */
export function ChartHandles({ handles, area, onMove }: Props): ReactElement {
  return (
    <div className={classes.handles} style={{ left: area.left, top: area.top, width: area.width, height: area.height }}>
      {handles.map((handle) => (
        <Handle key={handle.id} handle={handle} area={area} onMove={onMove} />
      ))}
    </div>
  );
}

interface HandleProps extends Omit<Props, 'handles'> {
  handle: ChartHandle;
}

function Handle({ handle, area, onMove }: HandleProps): ReactElement {
  const { id, label, value, clear } = handle;
  /** Where it was taken, and whether it has left there: pressing it alone moves nothing. */
  const held = useRef<{ from: number; isMoved: boolean } | null>(null);
  const at = ({ clientY, currentTarget }: PointerEvent): number => {
    const top = currentTarget.parentElement?.getBoundingClientRect().top ?? 0;
    return valueAt(clientY - top, area);
  };
  const begin = (event: PointerEvent): void => {
    held.current = { from: event.clientY, isMoved: false };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent): void => {
    if (held.current === null) return;
    held.current.isMoved ||= Math.abs(event.clientY - held.current.from) >= LEAST_MOVE_PX;
    if (held.current.isMoved) onMove(id, at(event), false);
  };
  const end = (event: PointerEvent): void => {
    const isMoved = held.current?.isMoved === true;
    held.current = null;
    if (isMoved) onMove(id, at(event), true);
  };
  const press = (event: KeyboardEvent): void => {
    const moved = movedBy(event.key, value, area);
    if (moved === null) return;
    event.preventDefault();
    onMove(id, moved, true);
  };
  return (
    <>
      {clear === undefined || clear === value ? null : (
        <div className={classes.clearLine} style={{ top: offsetOf(clear, area) }} data-testid={`clear-${id}`} />
      )}
      <div
        className={classes.handle}
        style={{ top: offsetOf(value, area) }}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-orientation="vertical"
        aria-valuenow={value}
        aria-valuetext={formatNumber(value, null)}
        aria-valuemin={area.low}
        aria-valuemax={area.high}
        data-testid={`handle-${id}`}
        onPointerDown={begin}
        onPointerMove={move}
        onPointerUp={end}
        onPointerCancel={end}
        onKeyDown={press}
      >
        <span className={classes.grip} aria-hidden />
      </div>
    </>
  );
}
