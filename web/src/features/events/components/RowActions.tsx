import { ActionIcon, Tooltip } from '@mantine/core';
import { IconEyeCheck } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { acknowledge } from '../api';
import type { AlarmRow } from '../api';
import classes from '../events.module.css';
import { mayAcknowledge } from '../views';
import { QuickHandle } from './QuickHandle';

/** What can be done with an event at one click: acknowledge it, say that it is handled or false. */
export function RowActions({ row }: { row: AlarmRow }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const ack = useMutation({
    mutationFn: () => acknowledge([row.id]),
    onSettled: () => void cache.invalidateQueries({ queryKey: ['event'] }),
  });
  return (
    <>
      {mayAcknowledge(row) ? (
        <Tooltip label={t('events:ack.do')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            className={classes.quick}
            disabled={ack.isPending}
            onClick={() => ack.mutate()}
            aria-label={t('events:ack.do')}
            data-testid="acknowledge-row"
          >
            <IconEyeCheck size={16} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      ) : null}
      <QuickHandle row={row} />
    </>
  );
}
