import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { showError, showSuccess } from '@/components/notices';
import { showUndo } from '@/components/undo';
import { useTab } from '@/lib/tab';
import { draftQuery, saveAndCheck, sectionQuery } from '../api';
import type { ConfigurationFault, Draft, SavedSection, Section } from '../api';

interface Done {
  /** Words for what was done, and once it is taken back. */
  message: string;
  undone: string;
}

interface Opened<Drafted> {
  deviceId: number;
  query: UseQueryResult<Drafted>;
  /** Name of the draft that is not at the gateway yet; null without one. */
  undeployed: string | null;
  /** Why nothing can be changed, in words; '' when it can. */
  hindrance: string;
  /** What the gateway refused of the version that was saved last. */
  faults: readonly ConfigurationFault[];
  isBusy: boolean;
  onSaved: (saved: SavedSection<Drafted>) => void;
  /** Save a changed section; with words it can be taken back for a while by what undo makes of the section of then. */
  edit: (draft: Drafted, done?: Done & { undo: (draft: Drafted) => Drafted }) => void;
  refresh: () => Promise<void>;
}

/** A section of the draft of this page's gateway, and what changes it. */
export function useSection<Drafted extends Draft>(section: Section<Drafted>): Opened<Drafted> {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const deviceId = Number(useTab().search.device_id);
  const query = useQuery(sectionQuery(section, deviceId));
  const undeployed = useQuery(draftQuery(deviceId)).data?.draft?.hash ?? null;
  const [faults, setFaults] = useState<readonly ConfigurationFault[]>([]);
  const refresh = async (): Promise<void> => {
    void cache.invalidateQueries({ queryKey: ['configuration', deviceId] });
    await cache.invalidateQueries({ queryKey: ['fieldbus', deviceId] });
  };
  const onSaved = (saved: SavedSection<Drafted>): void => {
    cache.setQueryData(sectionQuery(section, deviceId).queryKey, saved.draft as never);
    setFaults(saved.faults ?? []);
    void refresh();
    if (saved.faults === null) showSuccess(t('fieldbus:draft.unchecked'));
    else if (saved.faults.length === 0) showSuccess(t('fieldbus:draft.saved'));
  };
  const saving = useMutation({
    mutationFn: ({ draft }: { draft: Drafted; done?: Done & { undo: (draft: Drafted) => Drafted } }) =>
      saveAndCheck(section, deviceId, draft),
    onSuccess: (saved, { done }) => {
      if (done === undefined) return onSaved(saved);
      cache.setQueryData(sectionQuery(section, deviceId).queryKey, saved.draft as never);
      setFaults(saved.faults ?? []);
      const takeBack = async (): Promise<void> => {
        const now = await section.load(deviceId);
        const again = await saveAndCheck(section, deviceId, done.undo(now));
        setFaults(again.faults ?? []);
        await refresh();
      };
      showUndo(done.message, takeBack, done.undone);
      return void refresh();
    },
    onError: (error) => {
      showError(error);
      void refresh(); // somebody else may have been faster
    },
  });
  return {
    deviceId,
    query,
    undeployed,
    hindrance: query.data?.changeable === true ? '' : t('base:perm.missing'),
    faults,
    isBusy: saving.isPending,
    onSaved,
    edit: (draft, done) => saving.mutate({ draft, done }),
    refresh,
  };
}
