import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTab } from '@/lib/tab';
import { detailQuery } from '../api';

const AlarmDrawer = lazy(async () => ({ default: (await import('./AlarmDrawer')).AlarmDrawer }));

/** The alarm that the address names (event=ID), as links in messages do; closed, the address forgets it. */
export function LinkedAlarm(): ReactElement | null {
  const { search, setSearch } = useTab();
  const id = /^[1-9]\d{0,9}$/.test(search.event ?? '') ? Number(search.event) : null;
  return id === null ? null : <Linked key={id} id={id} onClose={() => setSearch({ event: undefined })} />;
}

function Linked({ id, onClose }: { id: number; onClose: () => void }): ReactElement | null {
  const { t } = useTranslation();
  const { data, isError } = useQuery(detailQuery(id));
  if (isError) {
    return (
      <Alert color="yellow" withCloseButton onClose={onClose} mb="sm" data-testid="alarm-gone">
        {t('events:alarm.gone')}
      </Alert>
    );
  }
  if (data === undefined) return null;
  return (
    <Suspense fallback={null}>
      <AlarmDrawer row={data.alarm} onClose={onClose} />
    </Suspense>
  );
}
