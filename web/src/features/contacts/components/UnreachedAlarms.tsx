import { Alert, Button, List } from '@mantine/core';
import { IconBellX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ScreenLink } from '@/components/ScreenLink';
import { alarmLook } from '@/lib/alarmTypes';
import { formatDateTime } from '@/lib/time';
import { levelsQuery, unreachedQuery } from '../api';
import type { UnreachedRow } from '../api';

/** Says which alarms of the last days reached nobody, and why; nothing when there are none. */
export function UnreachedAlarms(): ReactElement | null {
  const { t } = useTranslation();
  const { data: rows = [] } = useQuery(unreachedQuery);
  const [isOpen, setOpen] = useState(false);
  if (rows.length === 0) return null;
  // What no group is for may be meant so; an address that is missing is not.
  const isChosen = rows.every(({ reason }) => reason === 'no_group');
  const count = rows.reduce((sum, row) => sum + row.count, 0);
  return (
    <Alert
      color={isChosen ? 'gray' : 'yellow'}
      icon={<IconBellX size={18} />}
      title={t('contacts:unreached.title', { count })}
      mb="sm"
      data-testid="unreached"
    >
      {isOpen ? (
        <List size="sm" spacing={4}>
          {rows.map((row) => (
            <List.Item key={`${row.newest_event_id} ${row.reason}`} data-testid="unreached-row">
              <Kind row={row} />
            </List.Item>
          ))}
        </List>
      ) : (
        <Button variant="default" size="compact-sm" onClick={() => setOpen(true)} data-testid="unreached-open">
          {t('contacts:unreached.show')}
        </Button>
      )}
    </Alert>
  );
}

function Kind({ row }: { row: UnreachedRow }): ReactElement {
  const { t } = useTranslation();
  const { data: levels = [] } = useQuery(levelsQuery);
  const look = alarmLook(row.alarm_type, row.level, levels);
  const type = look.kind === 'known' ? t(`base:alarmType.${look.type}`) : look.title;
  const facts = [row.device, t('contacts:unreached.count', { count: row.count }), formatDateTime(row.newest_ms)];
  return (
    <>
      <ScreenLink path="/alarm/alarmlog" search={{ event: row.newest_event_id }}>
        {row.title === '' ? type : `${row.title} (${type})`}
      </ScreenLink>
      {` · ${facts.join(' · ')} · ${t(`base:delivery.reason.${row.reason}`)}`}
      {row.trigger_id === null ? null : (
        <>
          {' · '}
          <ScreenLink path="/alarm/trigger/editTrigger" search={{ id: row.trigger_id }}>
            {t('contacts:unreached.trigger')}
          </ScreenLink>
        </>
      )}
    </>
  );
}
