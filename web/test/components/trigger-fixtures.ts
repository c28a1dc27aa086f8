import type {
  GetOptionData,
  GetOptionResponse,
  ListDataSourcesData,
  ListDataSourcesResponse,
  TriggerRow,
  TryTriggerData,
  TryTriggerResponse,
} from '@/api/generated/types.gen';
import { source } from './fixtures';
import { answer } from './network';

export const RULE = {
  id: 8,
  title: 'Too hot',
  logic: 1 as const,
  delay_s: 5,
  off_delay_s: 0,
  again_s: 0,
  alarm_notify: true,
  alarm_type: 1,
  level: null,
  latched: false,
  groups: [],
  conditions: [{ type: 1 as const, dsid: 11, trigger_optype: 1 as const, trigger_threshold: 90, deadband: 0 }],
  linkage: [],
};

/** A trigger with one rule, changed where a test says so. */
export function trigger(changes: Partial<TriggerRow> = {}): TriggerRow {
  return {
    id: 1,
    title: 'Boiler',
    type: 1,
    mode: 1,
    interval_s: 0,
    enabled: true,
    origin: null,
    rule_count: 1,
    rules: [{ ...RULE, version: 1, home: 'cloud', state: { since_ms: null, raised_ms: null } }],
    subjects: [
      {
        device_id: 5,
        device_title: 'Boiler house',
        slave_id: 3,
        slave_title: 'Boiler',
        dsid: 11,
        ds_title: 'Temperature',
        unit: '°C',
        removed: false,
      },
    ],
    presets: [],
    groups: [],
    loops: [],
    rest: null,
    suppressions: [],
    problem: '',
    user_name: 'plant',
    created_ms: 0,
    changed_ms: 0,
    ...changes,
  };
}

/** A try without an alarm. */
export const QUIET = {
  upto_ms: Number.MAX_SAFE_INTEGER,
  count: 0,
  short: 0,
  raised_ms: 0,
  samples: 5,
  episodes: [],
  holds: false,
  at_end: [],
  level: 'raw' as const,
  coverage: [{ dsid: 11, covered: 1, from_ms: null, samples: 5, rolled_up: false }],
};

/** What an editor asks beside its trigger: a try that stays quiet, no own levels, a point that can be watched and one not. */
export function surroundings(): void {
  answer<TryTriggerData, TryTriggerResponse>('post', '/api/v1/trigger/backtest', QUIET);
  answer<GetOptionData, GetOptionResponse>('get', '/api/v1/option', {
    name: 'alarm_levels',
    value: [],
  } as unknown as GetOptionResponse['data']);
  answer<ListDataSourcesData, ListDataSourcesResponse>('get', '/api/v1/device/dss', () => {
    const rows = [source({ dsid: 11, ds_title: 'Temperature' }), source({ dsid: 12, rw: 'writeonly' })];
    return { rows, total: 2 } as unknown as ListDataSourcesResponse['data'];
  });
}
