import { memo } from 'react';
import type { PointerEvent, ReactElement } from 'react';
import { ROW_HEAD_PX, ROW_PX } from './layout';
import type { Layout } from './layout';
import type { Block } from './model/selection';
import classes from './sheet.module.css';

interface Props {
  block: Block;
  layout: Layout;
  /** The last line that a pull reaches. */
  pulledTo: number | null;
  onPull: ((event: PointerEvent<HTMLElement>) => void) | null;
}

/** The selected block, drawn over the cells: selecting draws no cell again. */
function Marks({ block, layout, pulledTo, onPull }: Props): ReactElement {
  const frozen = part(block, layout, 0, layout.frozen - 1);
  const free = part(block, layout, layout.frozen, layout.lefts.length - 1);
  const pulled = pulledTo === null || pulledTo <= block.bottom ? null : pulledTo;
  const draw = (outline: Part): ReactElement => (
    <>
      <div className={classes.block} style={outline.style} data-testid="sheet-block" />
      {pulled === null ? null : (
        <div
          className={classes.pulled}
          style={{ ...outline.style, top: (block.bottom + 1) * ROW_PX, height: (pulled - block.bottom) * ROW_PX }}
        />
      )}
      {onPull !== null && outline.isEnd ? (
        <span
          className={classes.handle}
          style={{ top: outline.style.top + outline.style.height, left: outline.style.left + outline.style.width }}
          onPointerDown={onPull}
          data-testid="sheet-handle"
        />
      ) : null}
    </>
  );
  return (
    <>
      <div className={classes.layer}>{free === null ? null : draw(free)}</div>
      <div className={classes.layer} data-frozen>
        {frozen === null ? null : draw(frozen)}
      </div>
    </>
  );
}

export const SheetMarks = memo(Marks);

interface Part {
  style: { top: number; left: number; width: number; height: number };
  /** Does the block end here? */
  isEnd: boolean;
}

function part(block: Block, layout: Layout, from: number, to: number): Part | null {
  const [left, right] = [Math.max(block.left, from), Math.min(block.right, to)];
  if (left > right) return null;
  const x = layout.lefts[left] ?? 0;
  const end = (layout.lefts[right] ?? 0) + (layout.widths[right] ?? 0);
  return {
    style: {
      top: block.top * ROW_PX,
      left: ROW_HEAD_PX + x,
      width: end - x,
      height: (block.bottom - block.top + 1) * ROW_PX,
    },
    isEnd: right === block.right,
  };
}
