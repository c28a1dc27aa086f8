import type { Tone } from '@/lib/quality';
import { isFinal } from '../command';

export function stateTone(status: string): Tone {
  if (status === 'resp') return 'ok';
  return isFinal(status) ? 'bad' : 'off';
}
