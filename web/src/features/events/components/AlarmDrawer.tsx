import { Drawer } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { showSuccess } from '@/components/notices';
import { handleAlarm } from '../api';
import type { AlarmRow } from '../api';
import { steps } from '../handling';
import { AlarmFacts } from './AlarmFacts';
import { AlarmActions, AlarmMore } from './AlarmMore';
import { HandleDrawer } from './HandleDrawer';

/** One event: what is known of it, and what can be said to it. */
export function AlarmDrawer({ row, onClose }: { row: AlarmRow; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const choices = steps(row);
  if (choices.length === 0) {
    return (
      <Drawer opened onClose={onClose} title={t('events:handle.title')} size={560} data-testid="alarm-drawer">
        <AlarmActions row={row} />
        <AlarmFacts row={row} />
        <AlarmMore row={row} />
      </Drawer>
    );
  }
  return (
    <HandleDrawer
      title={t('events:handle.title')}
      choices={choices}
      row={row}
      save={(status, note) => handleAlarm(row.id, status, note)}
      onSaved={() => {
        void cache.invalidateQueries({ queryKey: ['event'] });
        showSuccess(t('base:form.done.edit'));
        onClose();
      }}
      onClose={onClose}
    />
  );
}
