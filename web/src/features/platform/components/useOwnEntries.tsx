import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { showUndo } from '@/components/undo';
import { useConfirmDelete } from '@/components/useConfirm';
import { keysOf } from '@/lib/quickEntries';
import type { QuickEntry } from '@/lib/quickEntries';
import { putQuickEntries, quickEntriesQuery } from '../api';
import { moved } from '../order';
import classes from '../platform.module.css';
import { EntryForm } from './EntryForm';
import { EntryRow } from './EntryRow';

/** So many, by the cloud's rule. */
const MAX = 20;

interface OwnEntries {
  /** The button that adds one. */
  add: ReactElement;
  list: ReactElement;
  /** The form or the question above the list; null when there is none. */
  layer: ReactElement | null;
}

/** The user's own buttons of the top bar, in their order; each change is kept at once. */
export function useOwnEntries(): OwnEntries {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(quickEntriesQuery);
  const { keep, keepForm, said, setSaid } = useKeep();
  const [askDelete, dialog] = useConfirmDelete();
  const [editing, setEditing] = useState<{ at: number | null } | null>(null);
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
    keep.mutate(
      entries.filter((_, place) => place !== at),
      {
        onSuccess: () =>
          showUndo(t('base:row.removed', { what: name }), () => keep.mutateAsync(before), t('base:undo.done')),
      },
    );
  };
  const save = async (entry: QuickEntry): Promise<void> => {
    const at = editing?.at ?? null;
    await keepForm.mutateAsync(
      at === null ? [...entries, entry] : entries.map((each, place) => (place === at ? entry : each)),
    );
  };
  const add = (
    <Button
      leftSection={<IconPlus size={16} />}
      disabled={data === undefined || entries.length >= MAX}
      onClick={() => setEditing({ at: null })}
      data-testid="entry-add"
    >
      {t('platform:quick.add')}
    </Button>
  );
  const list = (
    <>
      <p className={classes.lead}>{t('platform:quick.lead', { most: MAX })}</p>
      {error !== null ? <Trouble error={error} onRetry={() => void refetch()} /> : null}
      {data === undefined && error === null ? <PageSkeleton /> : null}
      {data?.length === 0 ? <Empty title={t('platform:quick.none')} text={t('platform:quick.noneText')} /> : null}
      <Rows entries={entries} onMove={move} onEdit={(at) => setEditing({ at })} onRemove={(at) => void remove(at)} />
      <div className="visually-hidden" aria-live="polite" data-testid="entry-said">
        {said}
      </div>
    </>
  );
  const form =
    editing === null ? null : (
      <EntryForm
        entry={editing.at === null ? null : (entries[editing.at] ?? null)}
        onSave={save}
        onClose={() => setEditing(null)}
      />
    );
  return { add, list, layer: form ?? dialog };
}

interface RowsProps {
  entries: readonly QuickEntry[];
  onMove: (from: number, to: number) => void;
  onEdit: (at: number) => void;
  onRemove: (at: number) => void;
}

function Rows({ entries, onMove, onEdit, onRemove }: RowsProps): ReactElement {
  const { t } = useTranslation();
  const [drag, setDrag] = useState<{ from: number; over: number } | null>(null);
  const keys = keysOf(entries);
  return (
    <ol className={classes.entries} aria-label={t('platform:quick.label')}>
      {entries.map((entry, at) => (
        <EntryRow
          key={keys[at]}
          entry={entry}
          at={at}
          count={entries.length}
          isOver={drag?.over === at && drag.from !== at}
          onMove={onMove}
          onDrag={(from) => setDrag(from === null ? null : { from, over: from })}
          onOver={(over) => setDrag((known) => (known === null || known.over === over ? known : { ...known, over }))}
          onDrop={() => {
            if (drag !== null) onMove(drag.from, at);
            setDrag(null);
          }}
          onEdit={() => onEdit(at)}
          onRemove={() => onRemove(at)}
        />
      ))}
    </ol>
  );
}

/** Keeps the whole list; shown at once here and in the top bar, and as the cloud has it when that fails. */
function useKeep() {
  const cache = useQueryClient();
  const [said, setSaid] = useState('');
  const { queryKey } = quickEntriesQuery;
  const how = {
    mutationFn: putQuickEntries,
    scope: { id: 'quick-entries' },
    onMutate: async (next: readonly QuickEntry[]) => {
      await cache.cancelQueries({ queryKey });
      cache.setQueryData(queryKey, [...next]);
    },
    onError: () => setSaid(''),
    onSettled: () => cache.invalidateQueries({ queryKey }),
  };
  // A form tells in its place what was refused.
  return { keep: useMutation(how), keepForm: useMutation({ ...how, meta: { errorInPlace: true } }), said, setSaid };
}
