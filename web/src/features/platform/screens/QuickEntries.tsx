import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { PageSkeleton } from '@/components/PageSkeleton';
import page from '@/components/page.module.css';
import { Trouble } from '@/components/Trouble';
import { showUndo } from '@/components/undo';
import { useConfirmDelete } from '@/components/useConfirm';
import type { QuickEntry } from '@/lib/quickEntries';
import { putQuickEntries, quickEntriesQuery } from '../api';
import { EntryForm } from '../components/EntryForm';
import { EntryRow } from '../components/EntryRow';
import { moved } from '../order';
import classes from '../platform.module.css';

/** So many, by the cloud's rule. */
const MOST = 20;

/** The user's own buttons of the top bar, in their order; each change is kept at once. */
export default function QuickEntries(): ReactElement {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(quickEntriesQuery);
  const { keep, said, setSaid } = useKeep();
  const [askDelete, dialog] = useConfirmDelete();
  const [editing, setEditing] = useState<{ at: number | null } | null>(null);
  const [drag, setDrag] = useState<{ from: number; over: number } | null>(null);
  const entries = data ?? [];
  const move = (from: number, to: number): void => {
    const next = moved(entries, from, to);
    if (next === entries) return;
    setSaid(t('platform:quick.moved', { name: entries[from]?.text ?? '', at: to + 1, count: entries.length }));
    keep.mutate(next);
  };
  const remove = async (at: number): Promise<void> => {
    const name = entries[at]?.text ?? '';
    if (!(await askDelete(name))) return;
    const before = entries;
    keep.mutate(entries.filter((_, place) => place !== at), {
      onSuccess: () => showUndo(t('base:row.removed', { what: name }), () => keep.mutateAsync(before), t('base:undo.done')),
    });
  };
  const save = async (entry: QuickEntry): Promise<void> => {
    const at = editing?.at ?? null;
    await keep.mutateAsync(at === null ? [...entries, entry] : entries.map((each, place) => (place === at ? entry : each)));
  };
  return (
    <section className={page.panel}>
      <div className={page.bar}>
        <h1>{t('platform:title.platform')}</h1>
        <Button leftSection={<IconPlus size={16} />} disabled={data === undefined || entries.length >= MOST} onClick={() => setEditing({ at: null })} data-testid="entry-add">
          {t('platform:quick.add')}
        </Button>
      </div>
      <div className={classes.body}>
        <p className={classes.lead}>{t('platform:quick.lead', { most: MOST })}</p>
        {error !== null ? <Trouble error={error} onRetry={() => void refetch()} /> : null}
        {data === undefined && error === null ? <PageSkeleton /> : null}
        {data?.length === 0 ? <Empty title={t('platform:quick.none')} text={t('platform:quick.noneText')} /> : null}
        <ol className={classes.entries} aria-label={t('platform:quick.label')}>
          {entries.map((entry, at) => (
            <EntryRow
              key={`${entry.text}\n${entry.url}`}
              entry={entry}
              at={at}
              count={entries.length}
              isOver={drag?.over === at && drag.from !== at}
              onMove={move}
              onDrag={(from) => setDrag(from === null ? null : { from, over: from })}
              onOver={(over) => setDrag((known) => (known === null || known.over === over ? known : { ...known, over }))}
              onDrop={() => {
                if (drag !== null) move(drag.from, at);
                setDrag(null);
              }}
              onEdit={() => setEditing({ at })}
              onRemove={() => void remove(at)}
            />
          ))}
        </ol>
        <div className="visually-hidden" aria-live="polite" data-testid="entry-said">
          {said}
        </div>
      </div>
      {editing === null ? null : (
        <EntryForm entry={editing.at === null ? null : (entries[editing.at] ?? null)} onSave={save} onClose={() => setEditing(null)} />
      )}
      {dialog}
    </section>
  );
}

/** Keeps the whole list; shown at once here and in the top bar, and as the cloud has it when that fails. */
function useKeep() {
  const cache = useQueryClient();
  const [said, setSaid] = useState('');
  const { queryKey } = quickEntriesQuery;
  const keep = useMutation({
    mutationFn: putQuickEntries,
    scope: { id: 'quick-entries' },
    onMutate: async (next: readonly QuickEntry[]) => {
      await cache.cancelQueries({ queryKey });
      cache.setQueryData(queryKey, [...next]);
    },
    onError: () => setSaid(''),
    onSettled: () => cache.invalidateQueries({ queryKey }),
  });
  return { keep, said, setSaid };
}
