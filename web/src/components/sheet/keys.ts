import type { Direction } from './model/selection';

export interface Key {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
}

/** What a key asks of a sheet while no cell is edited. */
export type Ask =
  | { do: 'move' | 'jump'; direction: Direction; extend: boolean }
  | { do: 'page'; direction: 'up' | 'down'; extend: boolean }
  | { do: 'advance'; direction: Direction }
  | { do: 'lineStart' | 'lineEnd' | 'start' | 'end'; extend: boolean }
  | {
      do:
        | 'all'
        | 'lines'
        | 'column'
        | 'clear'
        | 'fillDown'
        | 'countDown'
        | 'undo'
        | 'redo'
        | 'insert'
        | 'duplicate'
        | 'remove'
        | 'fault'
        | 'edit'
        | 'toggle'
        | 'one';
    };

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
};

/** Null when the key is the browser's or is text. */
export function askOf({ key, ctrlKey, metaKey, shiftKey: extend, altKey }: Key): Ask | null {
  const control = ctrlKey || metaKey;
  const direction = ARROWS[key];
  if (direction !== undefined && !altKey) return { do: control ? 'jump' : 'move', direction, extend };
  if (altKey) return null;
  switch (key) {
    case 'PageUp':
      return { do: 'page', direction: 'up', extend };
    case 'PageDown':
      return { do: 'page', direction: 'down', extend };
    case 'Home':
      return { do: control ? 'start' : 'lineStart', extend };
    case 'End':
      return { do: control ? 'end' : 'lineEnd', extend };
    case 'Enter':
      return { do: 'advance', direction: extend ? 'up' : 'down' };
    case 'F2':
      return { do: 'edit' };
    case 'F8':
      return { do: 'fault' };
    case 'Delete':
      return { do: control ? 'remove' : 'clear' };
    case 'Backspace':
      return { do: 'clear' };
    case 'Escape':
      return { do: 'one' };
    case 'Insert':
      return { do: 'insert' };
    case ' ':
      return control ? { do: 'column' } : extend ? { do: 'lines' } : { do: 'toggle' };
    default:
      return control ? withControl(key.toLowerCase(), extend) : null;
  }
}

function withControl(key: string, extend: boolean): Ask | null {
  switch (key) {
    case 'a':
      return { do: 'all' };
    case 'd':
      return { do: extend ? 'countDown' : 'fillDown' };
    case 'z':
      return { do: extend ? 'redo' : 'undo' };
    case 'y':
      return { do: 'redo' };
    case 'enter':
      return { do: 'insert' };
    default:
      return null;
  }
}
