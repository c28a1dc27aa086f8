import { IconBellPause, IconEyeCheck } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { acknowledge } from '../api';
import type { AlarmRow } from '../api';
import { mayAcknowledge, mayShelve } from '../views';
import { QuickButton } from './QuickButton';
import { QuickHandle } from './QuickHandle';
import { useShelve } from './useShelve';

/** What can be done with an event at one click: acknowledge it, say that it is handled or false, shelve it. */
export function RowActions({ row }: { row: AlarmRow }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [shelve, shelveDrawer] = useShelve();
  const ack = useMutation({
    mutationFn: () => acknowledge([row.id]),
    onSettled: () => void cache.invalidateQueries({ queryKey: ['event'] }),
  });
  return (
    <>
      {mayAcknowledge(row) ? (
        <QuickButton
          label={t('events:ack.do')}
          icon={IconEyeCheck}
          disabled={ack.isPending}
          onClick={() => ack.mutate()}
          testId="acknowledge-row"
        />
      ) : null}
      <QuickHandle row={row} />
      {mayShelve(row) ? (
        <QuickButton
          label={t('events:shelve.do')}
          icon={IconBellPause}
          disabled={false}
          onClick={() => shelve([row.id])}
          testId="shelve-row"
        />
      ) : null}
      {shelveDrawer}
    </>
  );
}
