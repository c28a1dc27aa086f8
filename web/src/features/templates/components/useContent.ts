import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { showError, showSuccess } from '@/components/notices';
import { saveVersion, templatesKey, versionQuery } from '../api';
import type { Content, TemplateRow } from '../api';
import { isSameEdit, loadedOf, useEdits } from '../model/edits';

export interface ContentEdit<Edit> {
  /** undefined while it is loaded. */
  edit: Edit | undefined;
  /** The version that it is of: while it is changed, the one that the changes began with. */
  at: number;
  error: unknown;
  retry: () => void;
  change: (next: Edit) => void;
  isDirty: boolean;
  isSaving: boolean;
  save: (note: string) => void;
  discard: () => void;
  /** Counts what was loaded or thrown away: a sheet's own memory begins anew with it. */
  round: number;
}

/** The content of a template's version as its editor has it; changes stay while other pages are looked at, saving makes the next version. */
export function useContent<Edit>(
  node: TemplateRow,
  number: number,
  editOf: (content: Content) => Edit,
  contentOf: (edit: Edit) => Content,
): ContentEdit<Edit> {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const id = node.template_id;
  const changed = useEdits(({ byTemplate }) => byTemplate[id]) as { at: number; edit: Edit } | undefined;
  const change = useEdits((edits) => edits.change);
  const end = useEdits((edits) => edits.end);
  const at = changed?.at ?? number;
  const { data, error, refetch } = useQuery(versionQuery(node.template_id, at));
  const loaded = data === undefined ? undefined : loadedOf(data.document, editOf);
  const [round, setRound] = useState(0);
  const isDirty = changed !== undefined;
  const edit = changed?.edit ?? loaded;
  const saving = useMutation({
    mutationFn: ({ content, note }: { content: Content; note: string }) =>
      saveVersion(node.template_id, content, at, note),
    meta: { errorInPlace: true },
    onError: (error) => {
      showError(error);
      // Somebody may have been faster: the newest version is to be there when the changes are thrown away.
      void cache.invalidateQueries({ queryKey: templatesKey, refetchType: 'active' });
    },
    onSuccess: async (saved, { content }) => {
      const key = versionQuery(node.template_id, saved.number).queryKey;
      cache.setQueryData(key, { version: saved, document: { ...content } });
      await cache.invalidateQueries({ queryKey: templatesKey, refetchType: 'active' });
      end(id);
      showSuccess(t('templates:saved', { version: saved.number }));
    },
  });
  return {
    edit,
    at,
    error,
    retry: () => void refetch(),
    change: (next) => (loaded !== undefined && isSameEdit(loaded, next) ? end(id) : change(id, at, next)),
    isDirty,
    isSaving: saving.isPending,
    save: (note) => edit !== undefined && saving.mutate({ content: contentOf(edit), note }),
    discard: () => {
      end(id);
      setRound(round + 1);
    },
    round,
  };
}
