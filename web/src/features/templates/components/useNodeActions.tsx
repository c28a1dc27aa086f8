import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '@/api/errors';
import { saveBlob } from '@/components/clipboard';
import { showError, showSuccess } from '@/components/notices';
import { useConfirm, useConfirmDelete } from '@/components/useConfirm';
import {
  copyTemplate,
  deleteTemplate,
  exportSheets,
  exportTemplate,
  importTemplate,
  moveTemplate,
  templatesKey,
} from '../api';
import type { Category, TemplateFile, TemplateRow } from '../api';
import { useEdits } from '../model/edits';
import { editOf } from '../model/gateway';
import { pointsOf } from '../model/points';

const ApplyDrawer = lazy(() => import('./ApplyDrawer'));
const MoveDrawer = lazy(() => import('./MoveDrawer'));
const NodeDrawer = lazy(() => import('./NodeDrawer'));
const PutDrawer = lazy(() => import('./PutDrawer'));
const SheetDialog = lazy(() => import('./SheetDialog'));

type Open =
  | { what: 'edit' | 'move' | 'sheets'; node: TemplateRow }
  | { what: 'new'; kind: TemplateRow['kind'] }
  | { what: 'apply' | 'put'; node: TemplateRow; version: number }
  | null;

interface Input {
  category: Category;
  rows: readonly TemplateRow[];
  /** The group in which something new goes. */
  parentId: number | null;
  onSelect: (id: number) => void;
  /** The chosen node is no more. */
  onRemoved: () => void;
  /** The content of a file stands in the editor now. */
  onTaken: () => void;
}

/** Everything that is done with nodes of the tree, with its dialogs. */
export function useNodeActions({ category, rows, parentId, onSelect, onRemoved, onTaken }: Input) {
  const { t, i18n } = useTranslation();
  const cache = useQueryClient();
  const [open, setOpen] = useState<Open>(null);
  const [askDelete, deletion] = useConfirmDelete();
  const [ask, question] = useConfirm();
  const close = (): void => setOpen(null);
  const refresh = (): Promise<void> => cache.invalidateQueries({ queryKey: templatesKey });
  const working = useMutation({ mutationFn: (work: () => Promise<unknown>) => work(), onError: showError });
  const run = (work: () => Promise<unknown>): void => working.mutate(work);

  const take = async (row: TemplateRow, word: string): Promise<void> => {
    await refresh();
    onSelect(row.template_id);
    showSuccess(word);
  };
  const remove = async (node: TemplateRow): Promise<void> => {
    if (!(await askDelete(node.title))) return;
    try {
      await deleteTemplate(node.template_id, false);
    } catch (error) {
      if (!(error instanceof ApiError) || error.facts.reason !== 'template.in_use') throw error;
      const text = t('templates:detachText', { count: Number(error.facts.args.count) });
      if (!(await ask({ title: t('templates:detachTitle'), text, confirm: t('templates:detachGo'), danger: true })))
        return;
      await deleteTemplate(node.template_id, true);
    }
    useEdits.getState().end(node.template_id);
    onRemoved();
    await refresh();
    showSuccess(t('base:row.removed', { what: node.title }));
  };
  const download = async (node: TemplateRow): Promise<void> => {
    const file = await exportTemplate(node.template_id);
    saveBlob(`${node.title}.template.json`, new Blob([JSON.stringify(file, null, 1)], { type: 'application/json' }));
  };
  const upload = async (file: File): Promise<void> => {
    let content: TemplateFile;
    try {
      content = JSON.parse(await file.text()) as TemplateFile;
    } catch {
      return showError(new Error(t('templates:fault.file')));
    }
    if (content.category !== category) return showError(new Error(t('templates:fault.category')));
    await take(await importTemplate(content, parentId), t('templates:imported'));
  };

  const dialogs: ReactElement = (
    <>
      <Suspense fallback={null}>
        {open?.what === 'new' || open?.what === 'edit' ? (
          <NodeDrawer
            category={category}
            kind={open.what === 'new' ? open.kind : open.node.kind}
            node={open.what === 'new' ? null : open.node}
            rows={rows}
            parentId={parentId}
            onClose={close}
            onSaved={(row) => {
              close();
              void take(row, t(open.what === 'new' ? 'base:form.done.create' : 'base:form.done.edit'));
            }}
          />
        ) : null}
        {open?.what === 'move' ? (
          <MoveDrawer
            node={open.node}
            rows={rows}
            onClose={close}
            onMoved={() => {
              close();
              void refresh();
            }}
          />
        ) : null}
        {open?.what === 'sheets' ? (
          <SheetDialog
            node={open.node}
            onClose={close}
            onTake={(version, content) => {
              useEdits
                .getState()
                .change(
                  open.node.template_id,
                  version,
                  open.node.category === 'point' ? pointsOf(content) : editOf(content),
                );
              onTaken();
            }}
          />
        ) : null}
        {open?.what === 'apply' ? <ApplyDrawer node={open.node} version={open.version} onClose={close} /> : null}
        {open?.what === 'put' ? (
          <PutDrawer node={open.node} version={open.version} onClose={close} onPut={() => void refresh()} />
        ) : null}
      </Suspense>
      {deletion}
      {question}
    </>
  );
  return {
    dialogs,
    isWorking: working.isPending,
    add: (kind: TemplateRow['kind']) => setOpen({ what: 'new', kind }),
    edit: (node: TemplateRow) => setOpen({ what: 'edit', node }),
    move: (node: TemplateRow) => setOpen({ what: 'move', node }),
    apply: (node: TemplateRow, version: number) => setOpen({ what: 'apply', node, version }),
    put: (node: TemplateRow, version: number) => setOpen({ what: 'put', node, version }),
    copy: (node: TemplateRow) =>
      run(async () =>
        take(
          await copyTemplate(node.template_id, t('templates:copyOf', { title: node.title }).slice(0, 100)),
          t('base:form.done.copy'),
        ),
      ),
    place: (id: number, parent: number | null, place: number | undefined) =>
      run(async () => {
        await moveTemplate(id, parent, place);
        await refresh();
      }),
    remove: (node: TemplateRow) => run(() => remove(node)),
    download: (node: TemplateRow) => run(() => download(node)),
    downloadSheets: (node: TemplateRow, number: number) =>
      run(async () =>
        saveBlob(
          `${node.title}.xlsx`,
          await exportSheets(node.template_id, number, i18n.language.startsWith('zh') ? 'zh' : 'en'),
        ),
      ),
    takeSheets: (node: TemplateRow) => setOpen({ what: 'sheets', node }),
    upload: (file: File | null) => file !== null && run(() => upload(file)),
  };
}
