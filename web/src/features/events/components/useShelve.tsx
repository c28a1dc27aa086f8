import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { refreshQuiet } from '@/blocks/alarms/api';
import type { SuppressDrawer as DrawSuppress } from '@/blocks/alarms/SuppressDrawer';
import { showNotice, showSuccess } from '@/components/notices';
import { suppress } from '../api';

/** lazy() knows no type parameter. */
const SuppressDrawer = lazy(async () => ({
  default: (await import('@/blocks/alarms/SuppressDrawer')).SuppressDrawer,
})) as unknown as typeof DrawSuppress;

const KINDS = ['shelved', 'out_of_service'] as const;

/** Keep the alarms of some events quiet for a time: [begin, drawer]. */
export function useShelve(): [(ids: readonly number[]) => void, ReactElement | null] {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [ids, setIds] = useState<readonly number[] | null>(null);
  const begin = useCallback((wanted: readonly number[]) => setIds(wanted), []);
  if (ids === null) return [begin, null];
  const drawer = (
    <Suspense fallback={null}>
      <SuppressDrawer
        title={t('events:shelve.title', { count: ids.length })}
        kinds={KINDS}
        save={(kind, seconds, reason) => suppress(ids, kind === 'out_of_service' ? kind : 'shelved', seconds, reason)}
        onSaved={({ done, skipped }) => {
          setIds(null);
          refreshQuiet(cache);
          if (skipped > 0) showNotice(t('events:shelve.skipped', { done, skipped }));
          else showSuccess(t('events:shelve.done'));
        }}
        onClose={() => setIds(null)}
      />
    </Suspense>
  );
  return [begin, drawer];
}
