import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { showSuccess } from '@/components/notices';
import { detailQuery, handleAlarm, noteAlarm } from '../api';
import type { AlarmRow } from '../api';
import { NOTE, steps } from '../handling';
import type { Choice } from '../handling';
import { HandleDrawer } from './HandleDrawer';

/** One event: what is known of it now, also when its list is older, and what can be said to it. */
export function AlarmDrawer({ row: listed, onClose }: { row: AlarmRow; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const { data } = useQuery(detailQuery(listed.id));
  const row = data?.alarm ?? listed;
  const choices: readonly [Choice, ...Choice[]] = [NOTE, ...steps(row)];
  return (
    <HandleDrawer
      title={t('events:handle.title')}
      choices={choices}
      row={row}
      save={(choice, note) => (choice === NOTE ? noteAlarm(row.id, note) : handleAlarm(row.id, choice, note))}
      onSaved={() => {
        void cache.invalidateQueries({ queryKey: ['event'] });
        showSuccess(t('base:form.done.edit'));
        onClose();
      }}
      onClose={onClose}
    />
  );
}
