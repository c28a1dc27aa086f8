import { Alert, Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import page from '@/components/page.module.css';
import { PageSkeleton } from '@/components/PageSkeleton';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { TreePanel } from '@/components/TreePanel';
import type { TreeMove } from '@/components/TreePanel';
import { Trouble } from '@/components/Trouble';
import { useTab } from '@/lib/tab';
import { DEVICES, loadDevices, moveProject, PROJECTS } from '../api';
import type { DeviceRow, ProjectNode } from '../api';
import type { Editing } from '../components/NodeForm';
import { NodeHead } from '../components/NodeHead';
import { useDeviceColumns, useDeviceFilters } from '../components/useDevices';
import { useRemoveNode } from '../components/useRemoveNode';
import { useTree } from '../components/useTree';
import { mayMove, placeOf } from '../projectTree';
import classes from '../projects.module.css';

const CampaignDrawer = lazy(() => import('../components/CampaignDrawer'));
const CampaignResult = lazy(() => import('../components/CampaignResult'));
const NodeForm = lazy(() => import('../components/NodeForm'));

/** The tree of projects, and the gateways of one. */
export default function Projects(): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const { search, setSearch } = useTab();
  const { tree, nodes, visible, error, refetch } = useTree();
  const [editing, setEditing] = useState<Editing | null>(null);
  const [campaign, setCampaign] = useState<'deploy' | 'reboot' | null>(null);
  const [remove, dialogs] = useRemoveNode(nodes);
  const move = useMutation({
    mutationFn: ({ id, parent_id, place }: { id: number; parent_id: number | null; place: number }) =>
      moveProject(id, { parent_id, place }),
    onSettled: () => void cache.invalidateQueries({ queryKey: PROJECTS }),
  });
  const node = nodes.find(({ id }) => String(id) === search.node) ?? nodes[0];
  const choose = (id: number | undefined): void => setSearch({ node: id, page: undefined });
  const onMove = (moved: TreeMove): void => {
    const place = placeOf(nodes, moved);
    if (place !== null) move.mutate({ id: Number(moved.id), ...place });
  };
  const job = Number(search.job ?? '');
  return (
    <div className={classes.halves}>
      <section className={page.panel}>
        <div className={page.bar}>
          <h1>{t('projects:title.tree')}</h1>
          <Button
            size="compact-sm"
            leftSection={<IconPlus size={15} />}
            onClick={() => setEditing({ node: null, parent: node?.kind === 'group' ? node.id : null, kind: 'project' })}
            data-testid="project-add"
          >
            {t('projects:action.add')}
          </Button>
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
            <>
              {tree.truncated ? <Alert mb="xs">{t('projects:truncated', { count: nodes.length })}</Alert> : null}
              <TreePanel
                label={t('projects:title.tree')}
                nodes={visible}
                opened="*"
                selected={node === undefined ? null : String(node.id)}
                onSelect={(id) => choose(Number(id))}
                search
                onMove={onMove}
                mayMove={(moved) => mayMove(nodes, moved)}
                testId="project-tree"
              />
            </>
          )}
        </div>
      </section>
      {node === undefined ? null : (
        <div className={classes.right}>
          <NodeHead
            node={node}
            nodes={nodes}
            onAdd={() => setEditing({ node: null, parent: node.id, kind: 'project' })}
            onEdit={() => setEditing({ node, parent: node.parent_id, kind: node.kind })}
            onRemove={() => void remove(node).then((done) => done && choose(undefined))}
            onCampaign={setCampaign}
          />
          <Devices key={node.id} node={node} />
        </div>
      )}
      <Suspense fallback={null}>
        {editing === null ? null : (
          <NodeForm editing={editing} nodes={nodes} onClose={() => setEditing(null)} onSaved={({ id }) => choose(id)} />
        )}
        {campaign === null || node === undefined ? null : (
          <CampaignDrawer
            kind={campaign}
            projectId={node.id}
            onClose={() => setCampaign(null)}
            onStarted={(id) => {
              setCampaign(null);
              setSearch({ job: id });
            }}
          />
        )}
        {Number.isInteger(job) && job > 0 ? (
          <CampaignResult jobId={job} onClose={() => setSearch({ job: undefined })} />
        ) : null}
      </Suspense>
      {dialogs}
    </div>
  );
}

function Devices({ node }: { node: ProjectNode }): ReactElement {
  const { t } = useTranslation();
  const columns = useDeviceColumns();
  const filters = useDeviceFilters();
  const { id, kind } = node;
  const resource = useMemo<Resource<DeviceRow>>(
    () => ({
      name: 'project-devices',
      title: t('projects:device.list'),
      queryKey: [...DEVICES, id],
      load: (request, signal) => loadDevices(id, request, signal),
      rowId: (row) => row.id,
      columns,
      filters,
      empty: { title: t(`projects:device.none.${kind}`), text: t(`projects:device.noneText.${kind}`) },
    }),
    [t, id, kind, columns, filters],
  );
  return <ResourcePage resource={resource} />;
}
