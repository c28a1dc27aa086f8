import { useCallback, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, CODE } from '@/api/errors';
import { showNotice } from '@/components/notices';
import type { BulkAction } from '@/components/resource/resource';
import type { RowId } from '@/components/table/columns';
import { deleteAlarm, handleAlarm } from '../api';
import type { AlarmRow } from '../api';
import { each, FALSE_ALARM, HANDLED } from '../handling';
import type { Outcome } from '../handling';
import { HandleDrawer } from './HandleDrawer';

interface Asked {
  ids: readonly number[];
  done: (outcome: Outcome) => void;
  leave: (why: Error) => void;
}

/** Given up without a word: the catalogue shows nothing for this code. */
const given = (): ApiError => new ApiError({ code: CODE.SILENT[0] });

/** What can be done with many events: [actions, drawer]. Those that it does not apply to are left out, and counted. */
export function useBulk(): [readonly BulkAction<AlarmRow>[], ReactElement | null] {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<Asked | null>(null);
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
      new Promise((done, leave) => setAsked({ ids: numbers(ids), done, leave }));
    return [
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
  }, [t, report]);
  if (asked === null) return [actions, null];
  const drawer = (
    <HandleDrawer
      title={t('events:bulk.title', { count: asked.ids.length })}
      choices={[HANDLED, FALSE_ALARM]}
      save={(status, note) => each(asked.ids, (id) => handleAlarm(id, status, note))}
      onSaved={(outcome) => {
        setAsked(null);
        asked.done(outcome);
      }}
      onClose={() => {
        setAsked(null);
        asked.leave(given());
      }}
    />
  );
  return [actions, drawer];
}
