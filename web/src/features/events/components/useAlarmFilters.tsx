import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Filter, Option } from '@/components/resource/filters';
import { ALARM_TYPES } from '@/lib/alarmTypes';
import type { AlarmLevel } from '@/lib/alarmTypes';
import { FALSE_ALARM, HANDLED, UNHANDLED } from '../handling';
import { STATES } from '../views';
import type { ListView } from '../views';
import { DeviceFilter } from './DeviceFilter';

const LEVELS = ['danger', 'warning', 'info', 'success'] as const;

export function useAlarmFilters(levels: readonly AlarmLevel[], view: ListView): readonly Filter[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const own: Option[] = levels.map(({ id, title }) => ({ value: String(id), label: title }));
    return [
      { kind: 'search', name: 'search', label: t('events:filter.search') },
      {
        kind: 'segments',
        name: 'status',
        label: t('events:alarm.status'),
        options: [UNHANDLED, HANDLED, FALSE_ALARM].map((code) => ({
          value: String(code),
          label: t(`base:code.alarmLog.${code}`),
        })),
      },
      {
        kind: 'select',
        name: 'state',
        label: t('events:alarm.state'),
        options: STATES[view].map((value) => ({ value, label: t(`base:code.alarmState.${value}`) })),
      },
      {
        kind: 'select',
        name: 'level',
        label: t('events:filter.level'),
        options: [...LEVELS.map((value) => ({ value, label: t(`events:level.${value}`) })), ...own],
      },
      {
        kind: 'select',
        name: 'type',
        label: t('events:alarm.type'),
        options: Object.keys(ALARM_TYPES).map((value) => ({
          value,
          label: typeName(t(`base:alarmType.${value}`), value),
        })),
      },
      { kind: 'own', name: 'device', render: (value, set) => <DeviceFilter value={value} onChange={set} /> },
      { kind: 'range', fallback: 'past7Days' },
    ];
  }, [t, levels, view]);
}

/** Two types have the same words. */
function typeName(words: string, code: string): string {
  return code === '3' ? `${words} (3)` : words;
}
