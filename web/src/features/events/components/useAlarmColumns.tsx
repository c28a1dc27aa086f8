import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { AlarmLevelTag } from '@/blocks/alarms/AlarmLevelTag';
import { useSwitchWords } from '@/blocks/live/useWords';
import { useTimeWords } from '@/components/useTimeWords';
import { StatusBadge } from '@/components/StatusBadge';
import type { Column } from '@/components/table/columns';
import { alarmLook } from '@/lib/alarmTypes';
import type { AlarmLevel } from '@/lib/alarmTypes';
import { formatValue } from '@/lib/numbers';
import { serverNow } from '@/lib/serverClock';
import { formatDateTime } from '@/lib/time';
import type { AlarmRow } from '../api';
import { isRecovery, isStanding, lastedMs } from '../handling';
import { DeviceLink } from './DeviceLink';
import { Lasted } from './Lasted';
import { Moment, momentText } from './Moment';
import { useEventWords } from './useEventWords';

export function useAlarmColumns(levels: readonly AlarmLevel[]): readonly Column<AlarmRow>[] {
  const { t } = useTranslation();
  const words = useEventWords();
  const { duration } = useTimeWords();
  const switchWords = useSwitchWords();
  return useMemo(() => {
    const type = ({ alarm_type, level }: AlarmRow): string => {
      const look = alarmLook(alarm_type, level, levels);
      return look.kind === 'known' ? t(`base:alarmType.${look.type}`) : look.title;
    };
    const value = ({ value: raw, point }: AlarmRow): string =>
      point === null || point === undefined
        ? String(raw ?? '–')
        : `${formatValue(raw, point, switchWords)} ${point.unit}`.trim();
    const status = (row: AlarmRow): string => t(`base:code.alarmLog.${row.status}`);
    const lasted = (row: AlarmRow): string => {
      const ms = lastedMs(row, serverNow());
      if (ms === null) return '–';
      return isStanding(row) ? t('events:alarm.lasts', { duration: duration(ms) }) : duration(ms);
    };
    const handled = ({ handled_ms, handled_name }: AlarmRow): string =>
      handled_ms === null ? '–' : `${handled_name} ${formatDateTime(handled_ms)}`;
    const acknowledged = ({ acked_ms = null, acked_name = '' }: AlarmRow): string =>
      acked_ms === null ? '–' : `${acked_name} ${formatDateTime(acked_ms)}`;
    const content = (row: AlarmRow): string => {
      const children = row.children ?? 0;
      const said = words.content(row) || '–';
      return children === 0 ? said : `${said} (${t('events:alarm.children', { count: children })})`;
    };
    const plain = (
      id: string,
      text: (row: AlarmRow) => string,
      more: Partial<Column<AlarmRow>> = {},
    ): Column<AlarmRow> => ({
      id,
      title: t(`events:alarm.${id}`),
      cell: text,
      text,
      ...more,
    });
    return [
      plain('at', (row) => momentText(row.at), { cell: (row) => <Moment ms={row.at} />, card: 'fact' }),
      plain('type', type, {
        cell: (row) => <AlarmLevelTag type={row.alarm_type} level={row.level} levels={levels} />,
        card: 'mark',
      }),
      plain('device', words.device, {
        cell: (row) => <DeviceLink id={row.device_id} title={words.device(row)} />,
        fixed: true,
        card: 'title',
      }),
      plain('slave', (row) => words.slave(row) || '–'),
      plain('content', content, { card: 'fact' }),
      plain('value', value, { hidden: true }),
      plain('lasted', lasted, { cell: (row) => <Lasted row={row} />, hidden: true }),
      plain('recovered', (row) => momentText(row.recovered_ms), { cell: (row) => <Moment ms={row.recovered_ms} /> }),
      plain('state', (row) => t(`base:code.alarmState.${row.state ?? 'normal'}`), {
        cell: (row) =>
          isRecovery(row.alarm_type) ? '–' : <StatusBadge kind="alarmState" code={row.state ?? 'normal'} />,
        card: 'fact',
      }),
      plain('status', status, { cell: (row) => <StatusBadge kind="alarmLog" code={row.status} />, card: 'fact' }),
      plain('acknowledged', acknowledged, { hidden: true }),
      plain('handled', handled, { hidden: true }),
      plain('note', ({ note }) => note || '–', { hidden: true }),
    ];
  }, [t, words, switchWords, duration, levels]);
}
