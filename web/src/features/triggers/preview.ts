import type { ChartHandle } from '@/charts/handles';
import { COMPARISON, isRange } from './draft';
import type { ConditionDraft } from './draft';

const GREATER: ReadonlySet<string> = new Set(['1', '2']);
const EQUAL = '5';
const IN_RANGE = '6';

/** Fields of a condition that are moved in the chart. */
export type Moved = 'threshold' | 'low' | 'high';

/** Thresholds of a condition, as far as they are typed, and where what begins there ends by the deadband. */
export function handlesOf(condition: ConditionDraft, label: (field: Moved) => string): ChartHandle[] {
  if (condition.type !== COMPARISON) return [];
  const deadband = numberOf(condition.deadband) ?? 0;
  const names: readonly Moved[] = isRange(condition.op) ? ['low', 'high'] : ['threshold'];
  return names.flatMap((name) => {
    const value = numberOf(condition[name]);
    if (value === null) return [];
    return [{ id: name, label: label(name), value, ...clearOf(condition.op, name, value, deadband) }];
  });
}

function clearOf(op: string, name: Moved, value: number, deadband: number): { clear?: number } {
  if (deadband === 0 || op === EQUAL) return {};
  if (name === 'threshold') return { clear: GREATER.has(op) ? value - deadband : value + deadband };
  const isOutwards = (op === IN_RANGE) === (name === 'high');
  return { clear: isOutwards ? value + deadband : value - deadband };
}

function numberOf(typed: number | string): number | null {
  const value = Number(typed);
  return String(typed).trim() === '' || !Number.isFinite(value) ? null : value;
}
