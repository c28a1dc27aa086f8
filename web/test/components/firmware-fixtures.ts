import { vi } from 'vitest';
import type {
  FileRow,
  KeyRow,
  PlanAction,
  PlanDetail,
  PlanPreview,
  PlanState,
  ProjectRow,
  UpgradeRow,
} from '@/features/firmware/api';

export const MAY = ['OtaManager', 'ota.Firmware', 'ota.App', 'ota.Log', 'ota.Project', 'Monitor.DeviceMonitor'];
export const PLAN_URL = '/api/v1/firmware/plan/{plan_id}';

export const KEY: KeyRow = {
  id: 1,
  key_id: 'release',
  public_key: `${'A'.repeat(43)}=`,
  is_own: true,
  is_platform: true,
  user_name: 'li',
  created_ms: 1,
  files: 2,
  running: 1,
};

export const FILE: FileRow = {
  id: 5,
  file_name: 'two.bin',
  size: 2048,
  sha256: 'ab'.repeat(32),
  name: 'edge-agent',
  models: ['gw-200'],
  version: 2,
  version_text: '2.0',
  security_version: 1,
  upgrade_type: 2,
  min_agent: '0.1',
  key_id: 'release',
  trusted: true,
  plans: 0,
  gateways: 3,
  user_name: 'li',
  created_ms: 1,
};

/** What the cloud allows in a state (firmware/rollout.py). */
const ACTIONS: Readonly<Record<PlanState, readonly PlanAction[]>> = {
  draft: ['start', 'change', 'delete'],
  running: ['pause', 'retry', 'rollback', 'cancel'],
  paused: ['resume', 'retry', 'rollback', 'cancel', 'change'],
  finished: ['start', 'retry', 'rollback', 'change', 'delete'],
  cancelled: ['start', 'retry', 'rollback', 'change', 'delete'],
};

const { id, file_name, name, version, version_text, upgrade_type, size } = FILE;
export const DRAFT: PlanDetail = {
  id: 7,
  name: 12,
  title: 'north',
  enabled: true,
  range: 'device',
  project_ids: [],
  device_ids: [3, 4],
  created_after_ms: null,
  scope: 2,
  plan_control_count: 1,
  file: { id, file_name, name, version, version_text, upgrade_type, size },
  rules: { success_share: 0.9, error_share: 0.2, on_error: 'pause', watch_s: 1800, at_once: 50 },
  state: 'draft',
  reason: '',
  is_back: false,
  wave: 0,
  wave_count: 0,
  counts: {
    total: 0,
    waiting: 0,
    under_way: 0,
    watching: 0,
    succeeded: 0,
    failed: 0,
    excused: 0,
    missed: 0,
    skipped: 0,
  },
  actions: [...ACTIONS.draft],
  approved: false,
  approved_name: '',
  changed_name: 'li',
  user_name: '',
  created_ms: 1,
  changed_ms: 1,
  started_ms: null,
  finished_ms: null,
  waves: [],
  targets: [
    { id: 3, title: 'Pump' },
    { id: 4, title: 'Mill' },
  ],
  steps: {},
  to_retry: 0,
  to_go_back: 0,
  hindrances: [],
};

/** A plan whose first wave is through and whose second is under way, in a state. */
export function begun(state: PlanState, changes: Partial<PlanDetail> = {}): PlanDetail {
  const counts = { ...DRAFT.counts, total: 14, waiting: 8, under_way: 2, succeeded: 3, failed: 1 };
  return {
    ...DRAFT,
    state,
    counts,
    started_ms: 2,
    user_name: 'li',
    wave: 1,
    wave_count: 3,
    actions: [...ACTIONS[state]],
    waves: [
      { number: 0, ...DRAFT.counts, total: 1, succeeded: 1 },
      { number: 1, ...DRAFT.counts, total: 5, waiting: 0, under_way: 2, succeeded: 2, failed: 1 },
      { number: 2, ...DRAFT.counts, total: 8, waiting: 8 },
    ],
    steps: { waiting: 8, downloading: 1, trial: 1, succeeded: 3, failed: 1 },
    to_retry: 1,
    to_go_back: 3,
    ...changes,
  };
}

export const PREVIEW: PlanPreview = {
  total: 14,
  offline: 2,
  waves: [1, 3, 10],
  skipped: [
    { code: 'installed', count: 4 },
    { code: 'model', count: 1 },
  ],
  faults: [
    { code: 'installed', file: '2', gateway: '2', count: 4, titles: ['A', 'B', 'C'] },
    { code: 'model', file: 'gw-200', gateway: 'gw-100', count: 1, titles: ['D'] },
  ],
};

export const UPGRADE: UpgradeRow = {
  id: 31,
  plan_id: 7,
  plan_name: 12,
  device_id: 3,
  device_title: 'Pump',
  gateway_id: 'gw-3',
  wave: 1,
  attempt: 2,
  is_back: false,
  state: 'failed',
  code: 'worse',
  detail: '',
  from_version: 1,
  version: 2,
  version_text: '2.0',
  done: 1024,
  size: 2048,
  created_ms: 1,
  ordered_ms: 2,
  step_ms: 3,
  ended_ms: 4,
  expires_ms: 5,
  worse: ['points', 'latency'],
  before: { t_ms: 1, online: true, slaves: 4, good: 120, outages: 0, backlog: 0, latency_ms: 20.4 },
  after: { t_ms: 2, online: true, slaves: 4, good: 95, outages: 0, backlog: 0, latency_ms: 90.2 },
  running: { name: 'edge-agent', version: 1, version_text: '1.0', reported_ms: 4, went_back: true },
};

export const PROJECT: ProjectRow = {
  project_id: 1,
  kind: 'group',
  title: 'North',
  depth: 1,
  gateways: 5,
  online: 4,
  taking: 4,
  versions: [
    { name: 'edge-agent', version: 2, version_text: '2.0', gateways: 3 },
    { name: 'edge-agent', version: 0, version_text: '', gateways: 1 },
  ],
  plans: [{ id: 7, name: 12, title: 'north', state: 'running', gateways: 4 }],
};

/** A file of firmware with this manifest and so many bytes of content; changes: of the manifest. */
export function firmwareFile(changes: Record<string, unknown> = {}, bytes = 100, fileName = 'two.bin'): File {
  const manifest = {
    key_id: 'release',
    min_agent: '0.1',
    models: ['gw-200'],
    name: 'edge-agent',
    security_version: 1,
    sha256: 'ab'.repeat(32),
    size: bytes,
    upgrade_type: 2,
    version: 2,
    version_text: '2.0',
    ...changes,
  };
  const text = new TextEncoder().encode(JSON.stringify(manifest));
  const length = new DataView(new ArrayBuffer(4));
  length.setUint32(0, text.length);
  return new File(['EDGEFW1\n', length.buffer, text, new Uint8Array(64), new Uint8Array(100)], fileName);
}

/** A list that draws only the rows in view has a height here. */
export function giveTablesHeight(): void {
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600);
}
