import type { Choice } from '@/components/AsyncPicker';
import type { ActionBody, CalendarBody, CalendarRow, PreviewQuery, TaskBody, TaskRow } from './api';

export type Kind = TaskBody['schedule']['kind'];
export type ActionKind = 'write' | 'preset' | 'formula' | 'command';
export type Sort = 'switch' | 'number' | 'text';

/** An action as its inputs hold it; what its kind does not have is kept while the form is open. */
export type ActionDraft = {
  key: string;
  kind: ActionKind;
  device: Choice | null;
  dsid: string | null;
  /** Of the point that is written. */
  sort: Sort;
  value: string;
  preset: string | null;
  source_device: Choice | null;
  source_dsid: string | null;
  ratio: number | string;
  bias: number | string;
  command: string;
};

export type Draft = {
  title: string;
  enabled: boolean;
  kind: Kind;
  zone: string;
  times: string[];
  weekdays: string[];
  interval_min: number | string;
  window_begin: string;
  window_end: string;
  begin: string;
  end: string;
  late_min: number | string;
  calendar: Choice | null;
  actions: ActionDraft[];
};

export type CalendarDraft = { title: string; off: string[]; on: string[] };

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const DAY = /^20\d\d-\d\d-\d\d$/;
const DAY_MIN = 1440;

export const NO_CALENDAR: CalendarDraft = { title: '', off: [], on: [] };

let made = 0;

export function newAction(): ActionDraft {
  made += 1;
  return {
    key: `action-${made}`,
    kind: 'write',
    device: null,
    dsid: null,
    sort: 'number',
    value: '',
    preset: null,
    source_device: null,
    source_dsid: null,
    ratio: 1,
    bias: 0,
    command: 'refresh',
  };
}

export function emptyDraft(): Draft {
  return {
    title: '',
    enabled: true,
    kind: 'daily',
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC',
    times: ['08:00'],
    weekdays: [],
    interval_min: 60,
    window_begin: '00:00',
    window_end: '23:59',
    begin: '',
    end: '',
    late_min: 0,
    calendar: null,
    actions: [newAction()],
  };
}

export function draftOf(row: TaskRow): Draft {
  const { schedule, calendar_id, calendar_title } = row;
  return {
    title: row.title,
    enabled: row.enabled,
    kind: schedule.kind,
    zone: schedule.zone,
    times: schedule.times?.length ? schedule.times : ['08:00'],
    weekdays: (schedule.weekdays ?? []).map(String),
    interval_min: schedule.interval_min ?? 60,
    window_begin: schedule.window?.begin ?? '00:00',
    window_end: schedule.window?.end ?? '23:59',
    begin: schedule.begin ?? '',
    end: schedule.end ?? '',
    late_min: schedule.late_min ?? 0,
    calendar: calendar_id === null ? null : { value: String(calendar_id), label: calendar_title },
    actions: row.actions.map((action) => actionDraft(action, row)),
  };
}

function actionDraft(action: ActionBody, row: TaskRow): ActionDraft {
  const draft = { ...newAction(), kind: action.kind ?? 'write' };
  const pointOf = (dsid: number) => row.points.find((each) => each.dsid === dsid);
  const deviceOf = (dsid: number): Choice | null => {
    const point = pointOf(dsid);
    return point === undefined ? null : { value: String(point.device_id), label: point.device_title };
  };
  switch (action.kind) {
    case 'preset': {
      const preset = row.presets.find(({ id }) => id === action.preset_id);
      if (preset !== undefined) draft.device = { value: String(preset.device_id), label: preset.device_title };
      return { ...draft, preset: String(action.preset_id) };
    }
    case 'command': {
      const title = row.devices.find(({ device_id }) => device_id === action.device_id)?.device_title;
      const device = { value: String(action.device_id), label: title ?? String(action.device_id) };
      return { ...draft, device, command: action.command };
    }
    case 'formula':
      return {
        ...draft,
        device: deviceOf(action.dsid),
        dsid: String(action.dsid),
        source_device: deviceOf(action.source_dsid),
        source_dsid: String(action.source_dsid),
        ratio: action.ratio ?? 1,
        bias: action.bias ?? 0,
      };
    default: {
      const point = pointOf(action.dsid);
      const device = deviceOf(action.dsid);
      const sort = point === undefined ? readsAs(action.value) : sortOf(point);
      return { ...draft, device, dsid: String(action.dsid), sort, value: String(action.value ?? '') };
    }
  }
}

/** What the values of a point are; a calculated one counts as a number. */
export function sortOf({ ds_type, data_type }: { ds_type: string; data_type: string }): Sort {
  if (ds_type === 'swh' || data_type === 'bool') return 'switch';
  return ds_type === 'str' || ds_type === 'loc' ? 'text' : 'number';
}

function readsAs(value: unknown): Sort {
  if (typeof value === 'boolean') return 'switch';
  return typeof value === 'number' ? 'number' : 'text';
}

/** What was entered for a point of a sort. */
export function valueOf(text: string, sort: Sort): number | boolean | string {
  if (sort === 'switch') return text === 'true';
  return sort === 'number' ? Number(text) : text;
}

export function bodyOf(draft: Draft): TaskBody {
  return {
    title: draft.title,
    enabled: draft.enabled,
    calendar_id: usesCalendar(draft) ? Number(draft.calendar?.value) : null,
    schedule: {
      kind: draft.kind,
      zone: draft.zone,
      times: timesOf(draft),
      weekdays: weekdaysOf(draft),
      interval_min: draft.kind === 'cyclic' ? Number(draft.interval_min) : null,
      window: windowOf(draft),
      begin: draft.begin === '' ? null : draft.begin,
      end: draft.kind === 'once' || draft.end === '' ? null : draft.end,
      late_min: Number(draft.late_min),
    },
    actions: draft.actions.map(actionBody),
  };
}

function actionBody(action: ActionDraft): ActionBody {
  const { kind, dsid, device, preset, source_dsid, ratio, bias, command } = action;
  switch (kind) {
    case 'preset':
      return { kind, preset_id: Number(preset) };
    case 'command':
      return { kind, device_id: Number(device?.value), command: command as 'refresh' };
    case 'formula':
      return { kind, source_dsid: Number(source_dsid), dsid: Number(dsid), ratio: Number(ratio), bias: Number(bias) };
    default:
      return { kind, dsid: Number(dsid), value: valueOf(action.value, action.sort) };
  }
}

function timesOf({ kind, times }: Draft): string[] {
  if (kind === 'cyclic') return [];
  return kind === 'once' ? times.slice(0, 1) : times;
}

function weekdaysOf({ kind, weekdays }: Draft): number[] {
  return kind === 'once' ? [] : weekdays.map(Number).sort((one, other) => one - other);
}

function windowOf({ kind, window_begin, window_end }: Draft): { begin: string; end: string } {
  return kind === 'cyclic' ? { begin: window_begin, end: window_end } : { begin: '00:00', end: '23:59' };
}

function usesCalendar({ kind, calendar }: Draft): boolean {
  return kind !== 'once' && calendar !== null;
}

/** Whether the days between runs are counted from a first day. */
export function countsDays({ kind, interval_min }: Draft): boolean {
  return kind === 'cyclic' && Number(interval_min) >= DAY_MIN;
}

/** Paths of inputs that are missing or cannot be read. */
export function missingOf(draft: Draft): string[] {
  const missing: string[] = [];
  if (draft.title.trim() === '') missing.push('title');
  if (draft.zone === '') missing.push('zone');
  missing.push(...missingOfSchedule(draft));
  draft.actions.forEach((action, at) => {
    missing.push(...missingOfAction(action).map((name) => `actions.${at}.${name}`));
  });
  return missing;
}

function missingOfSchedule(draft: Draft): string[] {
  const missing: string[] = [];
  if (draft.kind !== 'cyclic' && (timesOf(draft).length === 0 || timesOf(draft).some((time) => !TIME.test(time))))
    missing.push('times');
  if ((draft.kind === 'once' || countsDays(draft)) && !DAY.test(draft.begin)) missing.push('begin');
  if (draft.kind === 'cyclic') {
    if (draft.interval_min === '' || Number(draft.interval_min) < 1) missing.push('interval_min');
    if (!TIME.test(draft.window_begin)) missing.push('window_begin');
    if (!TIME.test(draft.window_end)) missing.push('window_end');
  }
  if (draft.late_min === '') missing.push('late_min');
  return missing;
}

function missingOfAction(action: ActionDraft): string[] {
  const missing: string[] = action.device === null ? ['device'] : [];
  const isPoint = action.kind === 'write' || action.kind === 'formula';
  if (isPoint && action.dsid === null) missing.push('dsid');
  if (action.kind === 'write' && !isValue(action)) missing.push('value');
  if (action.kind === 'preset' && action.preset === null) missing.push('preset');
  if (action.kind === 'formula') {
    if (action.source_device === null) missing.push('source_device');
    if (action.source_dsid === null) missing.push('source_dsid');
    if (action.ratio === '') missing.push('ratio');
    if (action.bias === '') missing.push('bias');
  }
  return missing;
}

function isValue({ value, sort }: ActionDraft): boolean {
  if (sort === 'text') return true;
  return value.trim() !== '' && (sort === 'switch' || Number.isFinite(Number(value)));
}

/** What the next runs are asked for with; null while something is missing. */
export function previewOf(draft: Draft): PreviewQuery | null {
  if (missingOfSchedule(draft).length > 0 || draft.zone === '') return null;
  const { schedule, calendar_id } = bodyOf({ ...draft, actions: [] });
  const { window, late_min: _late, ...fields } = schedule;
  return {
    ...fields,
    interval_min: fields.interval_min ?? undefined,
    begin: fields.begin ?? undefined,
    end: fields.end ?? undefined,
    window_begin: window?.begin,
    window_end: window?.end,
    calendar_id: calendar_id ?? undefined,
  };
}

/** Where fields of the API stand in the form; what an action has wrong stands below all of them. */
export const NAMES: Readonly<Record<string, string>> = {
  calendar_id: 'calendar',
  'schedule.begin': 'begin',
  'schedule.end': 'end',
  'schedule.interval_min': 'interval_min',
  'schedule.late_min': 'late_min',
  'schedule.times': 'times',
  'schedule.weekdays': 'weekdays',
  'schedule.window.begin': 'window_begin',
  'schedule.window.end': 'window_end',
  'schedule.zone': 'zone',
};

export function calendarDraft({ title, off = [], on = [] }: CalendarRow): CalendarDraft {
  return { title, off, on };
}

export function calendarBody({ title, off, on }: CalendarDraft): CalendarBody {
  return { title, off, on };
}
