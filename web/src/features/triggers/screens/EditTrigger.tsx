import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { PageSkeleton } from '@/components/PageSkeleton';
import { ScreenLink } from '@/components/ScreenLink';
import { Trouble } from '@/components/Trouble';
import { useScreenLink } from '@/lib/navigation';
import { useTab } from '@/lib/tab';
import { changeTrigger, loadTrigger, triggerQuery } from '../api';
import type { TriggerBody, TriggerRow } from '../api';
import { TriggerForm } from '../components/TriggerForm';
import { TriggerHead } from '../components/TriggerHead';
import { TriggerWarnings } from '../components/TriggerWarnings';
import { draftOf } from '../draft';
import { over } from '../moved';
import type { Moved } from '../moved';
import { editorOf } from '../origin';

/** The trigger of the address. */
export default function EditTrigger(): ReactElement {
  const { t } = useTranslation();
  const { search } = useTab();
  const list = useScreenLink('/alarm/trigger');
  const id = Number(search.id);
  if (Number.isSafeInteger(id) && id > 0) return <Edited key={id} id={id} />;
  return (
    <Stack>
      <TriggerHead title={t('triggers:title.edit')} />
      <Empty
        title={t('triggers:unnamed')}
        text={t('triggers:unnamedText')}
        action={
          <Button component="a" variant="default" {...list}>
            {t('triggers:title.list')}
          </Button>
        }
      />
    </Stack>
  );
}

function Edited({ id }: { id: number }): ReactElement {
  const { t } = useTranslation();
  const { data: row, error, refetch } = useQuery(triggerQuery(id));
  const values = useMemo(() => (row === undefined ? null : draftOf(row)), [row]);
  if (error !== null) {
    return (
      <Stack>
        <TriggerHead title={t('triggers:title.edit')} />
        <Trouble error={error} onRetry={() => void refetch()} />
      </Stack>
    );
  }
  if (row === undefined || values === null) return <PageSkeleton />;
  if (row.origin !== null) {
    return (
      <Stack data-testid="trigger-of-point">
        <TriggerHead title={t('triggers:title.edit')} />
        <Empty
          title={row.title}
          text={t('triggers:changedAtPoint')}
          action={<ScreenLink {...editorOf(row)}>{t('triggers:toPoint')}</ScreenLink>}
        />
      </Stack>
    );
  }
  return (
    <TriggerForm
      key={row.changed_ms}
      title={t('triggers:title.edit')}
      values={values}
      warnings={<TriggerWarnings row={row} />}
      save={(body, moved) => (moved === null ? changeTrigger(id, body, row.changed_ms) : saveOver(id, body, moved))}
      onReload={() => void refetch()}
    />
  );
}

/** In place of what somebody else saved meanwhile, unless that is another one again. */
async function saveOver(id: number, body: TriggerBody, moved: Moved): Promise<TriggerRow> {
  return changeTrigger(id, over(body, await loadTrigger(id)), moved.changedMs);
}
