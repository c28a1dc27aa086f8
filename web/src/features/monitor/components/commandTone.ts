import type { Tone } from '@/lib/quality';
import type { CommandStatus } from '../api';
import { outcomeOf } from '../command';

export function stateTone(command: Pick<CommandStatus, 'status' | 'outcome'>): Tone {
  const outcome = outcomeOf(command);
  if (outcome === null) return 'off';
  if (outcome === 'unknown') return 'warn';
  return outcome === 'done' || outcome === 'settled_written' ? 'ok' : 'bad';
}
