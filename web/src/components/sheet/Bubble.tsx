import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import classes from './sheet.module.css';
import type { CellFault } from './types';

interface Props {
  level: CellFault['level'] | undefined;
  text: string | undefined;
  /** Drawn at another place when the cell is another one. */
  at: string;
}

const MARGIN_PX = 4;

/** What is wrong with the active cell: below it, or where the sheet's frame has room for it. */
export function Bubble({ level, text, at }: Props): ReactElement {
  const bubble = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const own = bubble.current;
    const frame = own?.closest(`.${classes.frame}`)?.getBoundingClientRect();
    if (own === null || frame === undefined) return;
    own.style.translate = '';
    const { right, bottom, height } = own.getBoundingClientRect();
    const cellPx = own.parentElement?.offsetHeight ?? 0;
    const x = Math.min(0, frame.right - right - MARGIN_PX);
    const y = bottom > frame.bottom ? -(height + cellPx) : 0;
    own.style.translate = `${x}px ${y}px`;
  }, [text, at]);
  return (
    <span ref={bubble} className={classes.bubble} data-level={level} data-testid="sheet-bubble">
      {text}
    </span>
  );
}
