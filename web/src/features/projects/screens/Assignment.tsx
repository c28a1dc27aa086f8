import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { showNotice, showSuccess } from '@/components/notices';
import page from '@/components/page.module.css';
import { PageSkeleton } from '@/components/PageSkeleton';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import type { RowId } from '@/components/table/columns';
import { TreePanel } from '@/components/TreePanel';
import { Trouble } from '@/components/Trouble';
import { showUndo } from '@/components/undo';
import { useTab } from '@/lib/tab';
import { assignDevices, DEVICES, loadDevices, NO_PROJECT, PROJECTS } from '../api';
import type { DeviceRow, ProjectNode } from '../api';
import { useDeviceColumns, useDeviceFilters } from '../components/useDevices';
import { useTree } from '../components/useTree';
import { wayOf } from '../projectTree';
import classes from '../projects.module.css';

/** Which gateways are in which project: the project on the left, gateways to put into it on the right. */
export default function Assignment(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const { tree, nodes, visible, error, refetch } = useTree();
  const node = nodes.find(({ id }) => String(id) === search.node);
  const project = node?.kind === 'project' ? node : undefined;
  const resource = useAssignment(node, project);
  return (
    <div className={classes.halves}>
      <section className={page.panel}>
        <div className={page.bar}>
          <h1>{t('projects:assign.target')}</h1>
        </div>
        <div className={classes.tree}>
          {tree === undefined ? (
            error === null ? (
              <PageSkeleton />
            ) : (
              <Trouble error={error} onRetry={() => void refetch()} />
            )
          ) : nodes.length === 0 ? (
            <Empty title={t('projects:empty.title')} text={t('projects:empty.text')} />
          ) : (
            <TreePanel
              label={t('projects:assign.target')}
              nodes={visible}
              opened="*"
              selected={search.node ?? null}
              onSelect={(id) => setSearch({ node: id, page: undefined })}
              search
              testId="assign-tree"
            />
          )}
        </div>
      </section>
      <div className={classes.right}>
        <p className={classes.hint} aria-live="polite" data-testid="assign-hint">
          <span>
            {project === undefined
              ? t('projects:assign.choose')
              : t('projects:assign.chosen', { way: wayOf(nodes, project.id) })}
          </span>
          {tree === undefined ? null : <span>{t('projects:assign.left', { count: tree.none.devices })}</span>}
        </p>
        <ResourcePage resource={resource} />
      </div>
    </div>
  );
}

function useAssignment(node: ProjectNode | undefined, project: ProjectNode | undefined): Resource<DeviceRow> {
  const { t } = useTranslation();
  const columns = useDeviceColumns();
  const filters = useDeviceFilters();
  const put = usePut();
  const nodeId = node?.id;
  return useMemo(() => {
    const into = project === undefined ? null : { id: project.id, title: project.title };
    return {
      name: 'assignment',
      title: t('projects:title.assignment'),
      queryKey: [...DEVICES, 'assign', nodeId ?? 'none'],
      load: (request, signal) => {
        const { source } = request.filters;
        const projectId = source === 'all' ? undefined : source === 'node' ? (nodeId ?? NO_PROJECT) : NO_PROJECT;
        return loadDevices(projectId, request, signal);
      },
      rowId: (row) => row.id,
      columns,
      filters: [
        ...filters,
        {
          kind: 'select',
          name: 'source',
          label: t('projects:assign.source.none'),
          options: (['node', 'all'] as const).map((value) => ({ value, label: t(`projects:assign.source.${value}`) })),
        },
      ],
      bulk: [
        {
          id: 'assign',
          label: into === null ? t('projects:assign.into') : t('projects:assign.intoTitle', { title: into.title }),
          may: 'ProjectDeployment',
          tells: true,
          run: async (ids) => {
            if (into === null) {
              showNotice(t('projects:assign.choose'));
              throw new DOMException('', 'AbortError');
            }
            await put(into.id, ids);
          },
        },
        {
          id: 'take-out',
          label: t('projects:assign.out'),
          may: 'ProjectDeployment',
          tells: true,
          run: (ids) => put(null, ids),
        },
      ],
      empty: { title: t('projects:assign.nothing'), text: t('projects:assign.nothingText') },
    } satisfies Resource<DeviceRow>;
  }, [t, columns, filters, put, project, nodeId]);
}

const AT_ONCE = 1000;

/** Put gateways into a project or out of theirs; a toast takes it back. */
function usePut(): (projectId: number | null, ids: readonly RowId[]) => Promise<void> {
  const { t } = useTranslation();
  const cache = useQueryClient();
  return useCallback(
    async (projectId, ids) => {
      const refresh = async (): Promise<void> => {
        await Promise.all([PROJECTS, DEVICES, ['devices']].map((queryKey) => cache.invalidateQueries({ queryKey })));
      };
      const { changed, unchanged, skipped, former } = await assignDevices(projectId, ids.slice(0, AT_ONCE).map(Number));
      await refresh();
      if (skipped.length > 0) {
        const reasons = [...new Set(skipped.map(({ reason }) => t(`projects:skipped.${reason}`)))].join(
          t('projects:comma'),
        );
        showNotice(t('projects:assign.skipped', { count: skipped.length, reasons }));
      }
      if (changed === 0) {
        if (unchanged > 0)
          showSuccess(
            t(projectId === null ? 'projects:assign.outAlready' : 'projects:assign.inAlready', { count: unchanged }),
          );
        return;
      }
      const undo = async (): Promise<void> => {
        for (const { project_id, device_ids } of former) await assignDevices(project_id, device_ids);
        await refresh();
      };
      const done =
        unchanged === 0
          ? t('projects:assign.done', { count: changed })
          : t('projects:assign.doneBut', { count: changed, unchanged });
      showUndo(done, undo, t('base:undo.done'));
    },
    [t, cache],
  );
}
