import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useSwitchWords } from '@/blocks/live/useWords';
import { formatValue } from '@/lib/numbers';
import type { ActionBody, TaskRow, TaskRunStep } from '../api';

type Schedule = TaskRow['schedule'];

const DAY_MIN = 1440;
const HOUR_MIN = 60;

/** When a task runs, in words. */
export function usePlanWords(): (schedule: Schedule) => string {
  const { t } = useTranslation();
  return useCallback(
    ({ kind, times = [], weekdays = [], interval_min, window, begin, end }: Schedule) => {
      if (kind === 'once') return t('tasks:plan.once', { day: begin ?? '', time: times[0] ?? '' });
      const days =
        weekdays.length === 0
          ? t('tasks:plan.everyDay')
          : weekdays.map((day) => t(`tasks:weekday.${day}`)).join(t('tasks:plan.comma'));
      const dates = begin || end ? ` (${begin ?? ''} – ${end ?? ''})` : '';
      if (kind === 'daily') return `${t('tasks:plan.daily', { days, times: times.join(', ') })}${dates}`;
      const count = interval_min ?? 0;
      if (count >= DAY_MIN)
        return `${t('tasks:plan.days', { count: count / DAY_MIN, time: window?.begin ?? '' })}${dates}`;
      const each =
        count % HOUR_MIN === 0
          ? t('tasks:plan.hours', { count: count / HOUR_MIN })
          : t('tasks:plan.minutes', { count });
      return `${t('tasks:plan.cyclic', { days, each, begin: window?.begin ?? '', end: window?.end ?? '' })}${dates}`;
    },
    [t],
  );
}

/** What a task does, one line an action. */
export function useActionWords(): (row: TaskRow) => string[] {
  const { t } = useTranslation();
  const words = useSwitchWords();
  return useCallback(
    (row: TaskRow) => {
      const pointOf = (dsid: number): TaskRow['points'][number] | undefined =>
        row.points.find((each) => each.dsid === dsid);
      const named = (dsid: number): string => {
        const point = pointOf(dsid);
        return point === undefined
          ? t('tasks:gone')
          : [point.device_title, point.slave_title, point.ds_title].filter(Boolean).join(' · ');
      };
      return row.actions.map((action: ActionBody) => {
        switch (action.kind) {
          case 'preset': {
            const preset = row.presets.find(({ id }) => id === action.preset_id);
            const title = preset === undefined ? t('tasks:gone') : `${preset.device_title} · ${preset.title}`;
            return t('tasks:does.preset', { title });
          }
          case 'command': {
            const device = row.devices.find(({ device_id }) => device_id === action.device_id);
            const title = device?.device_title ?? t('tasks:gone');
            return `${title}: ${t(`tasks:command.${action.command}`)}`;
          }
          case 'formula':
            return `${named(action.dsid)} = ${formulaOf(named(action.source_dsid), action.ratio ?? 1, action.bias ?? 0)}`;
          default: {
            const point = pointOf(action.dsid);
            const value =
              point === undefined ? String(action.value) : `${formatValue(action.value, point, words)} ${point.unit}`;
            return `${named(action.dsid)} = ${value.trim()}`;
          }
        }
      });
    },
    [t, words],
  );
}

/** 'x', 'x × 0.1', 'x × 2 + 5', with a point's name for x. */
export function formulaOf(name: string, ratio: number, bias: number): string {
  const scaled = ratio === 1 ? name : `${name} × ${ratio}`;
  if (bias === 0) return scaled;
  return bias > 0 ? `${scaled} + ${bias}` : `${scaled} − ${-bias}`;
}

/** Key of why a step did nothing, as the cloud or the gateway names it. */
export function problemKey({ problem = '' }: Pick<TaskRunStep, 'problem'>): string {
  return `tasks:problem.${problem}`;
}
