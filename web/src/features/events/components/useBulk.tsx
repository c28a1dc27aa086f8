import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, CODE } from '@/api/errors';
import { showNotice } from '@/components/notices';
import type { BulkAction } from '@/components/resource/resource';
import type { RowId } from '@/components/table/columns';
import { acknowledge, deleteAlarm, handleAlarm } from '../api';
import type { AlarmRow } from '../api';
import { each, FALSE_ALARM, HANDLED } from '../handling';
import type { Outcome } from '../handling';
import type { HandleDrawer as DrawHandle } from './HandleDrawer';
import { useShelve } from './useShelve';

/** lazy() knows no type parameter. */
const HandleDrawer = lazy(async () => ({
  default: (await import('./HandleDrawer')).HandleDrawer,
})) as unknown as typeof DrawHandle;

interface Pending {
  ids: readonly number[];
  done: (outcome: Outcome) => void;
  leave: (why: Error) => void;
}

/** Given up without a word: the catalogue shows nothing for this code. */
const given = (): ApiError => new ApiError({ code: CODE.SILENT[0] });

/** What can be done with many events: [actions, drawer]. Those that it does not apply to are left out, and counted. */
export function useBulk(): [readonly BulkAction<AlarmRow>[], ReactElement | null] {
  const { t } = useTranslation();
  const [pending, setPending] = useState<Pending | null>(null);
  const [shelve, shelveDrawer] = useShelve();
  const report = useCallback(
    ({ done, skipped }: Outcome): void => {
      if (skipped === 0) return;
      showNotice(t('events:bulk.skipped', { done, skipped }));
      if (done === 0) throw given();
    },
    [t],
  );
  const actions = useMemo<readonly BulkAction<AlarmRow>[]>(() => {
    const numbers = (ids: readonly RowId[]): number[] => ids.map(Number);
    const handle = (ids: readonly RowId[]): Promise<Outcome> =>
      new Promise((done, leave) => setPending({ ids: numbers(ids), done, leave }));
    return [
      {
        id: 'acknowledge',
        label: t('events:ack.do'),
        may: 'Event',
        run: async (ids) => report(await acknowledge(numbers(ids))),
      },
      {
        id: 'shelve',
        label: t('events:shelve.do'),
        may: 'Event',
        opens: true,
        run: async (ids) => shelve(numbers(ids)),
      },
      { id: 'handle', label: t('events:bulk.handle'), may: 'Event', run: async (ids) => report(await handle(ids)) },
      {
        id: 'remove',
        label: t('base:row.remove'),
        may: 'Event',
        danger: true,
        question: (count) => t('events:bulk.removeText', { count }),
        run: async (ids) => report(await each(numbers(ids), deleteAlarm)),
      },
    ];
  }, [t, report, shelve]);
  if (pending === null) return [actions, shelveDrawer];
  const drawer = (
    <Suspense fallback={null}>
      <HandleDrawer
        title={t('events:bulk.title', { count: pending.ids.length })}
        choices={[HANDLED, FALSE_ALARM]}
        save={(status, note) => each(pending.ids, (id) => handleAlarm(id, status, note))}
        onSaved={(outcome) => {
          setPending(null);
          pending.done(outcome);
        }}
        onClose={() => {
          setPending(null);
          pending.leave(given());
        }}
      />
    </Suspense>
  );
  return [actions, drawer];
}
