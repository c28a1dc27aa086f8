import { Alert, List, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/time';
import type { TriggerRow } from '../api';

/** What of a trigger's linkages may go wrong, or did of late. */
export function TriggerWarnings({ row }: { row: Pick<TriggerRow, 'loops' | 'rest'> }): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      {row.rest === null ? null : (
        <Alert
          color="orange"
          title={t('triggers:paused.title', { at: formatDateTime(row.rest.since_ms) })}
          data-testid="linkages-rest"
        >
          {t('triggers:paused.leftOut', { count: row.rest.left_out })}
        </Alert>
      )}
      {row.loops.length === 0 ? null : (
        <Alert color="orange" title={t('triggers:loop.title')} data-testid="trigger-loops">
          <List size="sm">
            {row.loops.map((loop) => (
              <List.Item key={`${loop.trigger_id}-${loop.dsid}-${loop.title}`}>
                {t('triggers:loop.text', { rule: loop.title })}
              </List.Item>
            ))}
          </List>
          <Text size="sm">{t('triggers:loop.bound')}</Text>
        </Alert>
      )}
    </>
  );
}
