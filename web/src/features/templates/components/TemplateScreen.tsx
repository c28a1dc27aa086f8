import { ActionIcon, Button, FileButton, Group, Tooltip } from '@mantine/core';
import { IconFolder, IconFolderPlus, IconPlus, IconUpload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { PageSkeleton } from '@/components/PageSkeleton';
import { TreePanel } from '@/components/TreePanel';
import { Trouble } from '@/components/Trouble';
import { useUnsavedChanges } from '@/components/form/useUnsavedChanges';
import { UnsavedDot } from '@/components/UnsavedDot';
import { useTab } from '@/lib/tab';
import type { TreeNode } from '@/lib/tree';
import { nodesQuery } from '../api';
import type { Category, TemplateRow } from '../api';
import { useEdits } from '../model/edits';
import { droppedAt, treeOf } from '../model/tree';
import classes from '../templates.module.css';
import { TemplateDetail } from './TemplateDetail';
import { useNodeActions } from './useNodeActions';

const NONE: readonly TemplateRow[] = [];

/** The tree of point or of gateway templates, and the node that is chosen in it. */
export function TemplateScreen({ category }: { category: Category }): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const { data, error, refetch } = useQuery(nodesQuery(category));
  const rows = data ?? NONE;
  const node = rows.find(({ template_id }) => String(template_id) === search.id);
  const nodes = useMemo(() => treeOf(rows, (row) => noteOf(row, t)), [rows, t]);
  const edits = useEdits(({ byTemplate }) => byTemplate);
  useUnsavedChanges(
    rows.some(({ template_id }) => edits[template_id] !== undefined),
    { persisted: true },
  );
  const marks = ({ id }: TreeNode): ReactNode => {
    if (edits[Number(id)] === undefined) return null;
    return <UnsavedDot words={t('templates:edited')} />;
  };
  const groups = useMemo(
    () => new Set(rows.flatMap(({ kind, template_id }) => (kind === 'group' ? [String(template_id)] : []))),
    [rows],
  );
  const iconOf = ({ id }: TreeNode): ReactNode => (groups.has(id) ? <IconFolder size={16} stroke={1.6} /> : undefined);
  const choose = (id: string): void => {
    if (id !== search.id) setSearch({ id, version: undefined, slave: undefined });
  };
  const group = node === undefined || !node.writes ? null : node.kind === 'group' ? node.template_id : node.parent_id;
  const parentId = rows.some((row) => row.template_id === group && row.writes) ? group : null;
  const actions = useNodeActions({
    category,
    rows,
    parentId,
    onSelect: (id) => choose(String(id)),
    onRemoved: () => setSearch({ id: undefined, version: undefined }),
    onTaken: () => setSearch({ view: undefined, version: undefined }),
  });
  return (
    <div className={classes.layout}>
      <section className={classes.side}>
        <div className={classes.bar}>
          <h1>{t(`templates:title.${category}`)}</h1>
          <Group gap={4}>
            <Tooltip label={t('templates:new.group')}>
              <ActionIcon
                variant="default"
                aria-label={t('templates:new.group')}
                onClick={() => actions.add('group')}
                data-testid="group-new"
              >
                <IconFolderPlus size={16} aria-hidden />
              </ActionIcon>
            </Tooltip>
            <FileButton
              accept="application/json,.json"
              onChange={actions.upload}
              inputProps={{ 'aria-label': t('templates:action.import') }}
            >
              {(props) => (
                <Tooltip label={t('templates:action.import')}>
                  <ActionIcon
                    variant="default"
                    aria-label={t('templates:action.import')}
                    loading={actions.isWorking}
                    data-testid="template-import"
                    {...props}
                  >
                    <IconUpload size={16} aria-hidden />
                  </ActionIcon>
                </Tooltip>
              )}
            </FileButton>
            <Button
              size="compact-sm"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => actions.add('template')}
              data-testid="template-new"
            >
              {t('templates:action.new')}
            </Button>
          </Group>
        </div>
        {error === null ? null : <Trouble error={error} onRetry={() => void refetch()} />}
        {data === undefined && error === null ? <PageSkeleton /> : null}
        {data === undefined ? null : (
          <div className={classes.tree} data-scroll>
            {rows.length === 0 ? (
              <Empty title={t('templates:none')} text={t(`templates:noneText.${category}`)} />
            ) : (
              <TreePanel
                key={rows.length}
                label={t(`templates:title.${category}`)}
                nodes={nodes}
                opened="*"
                selected={search.id ?? null}
                onSelect={choose}
                icon={iconOf}
                extra={marks}
                search
                onMove={(move) => {
                  const at = droppedAt(rows, move);
                  if (at !== null) actions.place(Number(move.id), at.parent, at.place);
                }}
                mayMove={(move) => droppedAt(rows, move) !== null}
                testId="template-tree"
              />
            )}
          </div>
        )}
      </section>
      <section className={classes.main} aria-label={node?.title ?? t('templates:choose')}>
        {node === undefined ? (
          <Empty title={t('templates:choose')} text={t(`templates:about.${category}`)} />
        ) : (
          <TemplateDetail key={node.template_id} node={node} rows={rows} actions={actions} />
        )}
      </section>
      {actions.dialogs}
    </div>
  );
}

function noteOf(row: TemplateRow, t: TFunction): string {
  if (row.kind === 'group') return '';
  const count =
    row.category === 'point'
      ? t('templates:note.points', { count: row.points })
      : t('templates:note.slaves', { count: row.slaves });
  return `v${row.newest} · ${count}`;
}
