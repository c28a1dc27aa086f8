import type { ForwarderRow, TargetRow } from '../api';
import type { Row } from './form';

/** A target as the draft has it and as the gateway reported it: one of both may be missing. */
export interface Target extends TargetRow {
  /** Null for one that the draft has not any more. */
  fields: Row | null;
}

/** Of a target that the gateway has not reported. */
const UNREPORTED: Omit<TargetRow, 'name' | 'kind'> = {
  condition: 'unreported',
  since_ms: 0,
  reason: '',
  waiting_batches: 0,
  waiting_bytes: 0,
  waiting_records: 0,
  lost_batches: 0,
  delivered: 0,
  late: 0,
  repeated: 0,
  given_up: 0,
  failed: 0,
  last_ack_ms: 0,
  next_try_ms: 0,
  trouble_since_ms: 0,
  rejects: [],
  reported_ms: 0,
};

/** Targets of the draft in its order, then those that only the gateway has. */
export function joined(rows: readonly ForwarderRow[], reported: readonly TargetRow[]): readonly Target[] {
  const byName = new Map(reported.map((row) => [row.name, row]));
  const drafted = rows.map(({ fields }): Target => {
    const name = String(fields.name);
    const known = byName.get(name);
    return { ...UNREPORTED, ...known, name, kind: String(fields.kind), fields };
  });
  const names = new Set(drafted.map(({ name }) => name));
  return [
    ...drafted,
    ...reported.filter(({ name }) => !names.has(name)).map((row): Target => ({ ...row, fields: null })),
  ];
}

/** A name that no other target has. */
export function freeName(stem: string, taken: readonly string[]): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? stem : `${stem}-${number}`;
    if (!taken.includes(name)) return name;
  }
}
