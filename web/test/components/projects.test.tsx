import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import type {
  AddProjectData,
  AddProjectResponse,
  AssignDevicesData,
  AssignDevicesResponse,
  ChangeProjectData,
  ChangeProjectResponse,
  DeployProjectData,
  DeployProjectResponse,
  DeviceRow,
  ListDevicesData,
  ListDevicesResponse,
  ListProjectsData,
  ListProjectsResponse,
  MoveProjectData,
  MoveProjectResponse,
  PreviewCampaignData,
  PreviewCampaignResponse,
  ProjectNode,
  RebootProjectData,
  RebootProjectResponse,
} from '@/api/generated/types.gen';
import CampaignDrawer from '@/features/projects/components/CampaignDrawer';
import NodeForm from '@/features/projects/components/NodeForm';
import Assignment from '@/features/projects/screens/Assignment';
import Projects from '@/features/projects/screens/Projects';
import { answer, network, refuse } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

const MAY = ['ProjectDeployment', 'Project', 'Group', 'Device/restart', 'DeviceManage'];
const NONE = { devices: 7, online: 0, alarm: 0, silent: 0 };

function node(id: number, title: string, changes: Partial<ProjectNode> = {}): ProjectNode {
  return {
    id,
    title,
    parent_id: null,
    kind: 'project',
    remark: '',
    devices: 0,
    online: 0,
    alarm: 0,
    silent: 0,
    owner_id: 1,
    owner_name: 'tester',
    place: id,
    created_ms: 0,
    ...changes,
  };
}

const NODES = [
  node(1, 'North', { kind: 'group' }),
  node(2, 'Mill', { parent_id: 1 }),
  node(3, 'Quarry'),
  node(4, 'East', { kind: 'group', parent_id: 1 }),
];

const device = (id: number): DeviceRow =>
  ({
    id,
    gateway_id: `gw-${id}`,
    device_title: `Boiler ${id}`,
    binder_devtitle: '',
    project_id: null,
    project_title: null,
    status: 'online',
    presence: { status: 'online', layer: '', code: '' },
    link: { online: true, since_ms: 0, reason: '' },
    slaves_online: 1,
    slaves_total: 1,
  }) as unknown as DeviceRow;

let listed: Call[];

beforeEach(() => {
  answer<ListProjectsData, ListProjectsResponse>('get', '/api/v1/project', {
    nodes: NODES,
    none: NONE,
    truncated: false,
  });
  listed = answer<ListDevicesData, ListDevicesResponse>('get', '/api/v1/device', {
    rows: [device(11), device(12)],
    total: 2,
  });
});

const field = (name: string): HTMLInputElement => screen.getByTestId<HTMLInputElement>(name);
const done = vi.fn();

function form(of: ProjectNode | null, parent: number | null = null): Promise<Rendered> {
  done.mockReset();
  return show(
    <NodeForm
      editing={{ node: of, parent, kind: of?.kind ?? 'project' }}
      nodes={NODES}
      onClose={() => undefined}
      onSaved={done}
    />,
  );
}

test('a new project stands below the chosen group', async () => {
  const added = answer<AddProjectData, AddProjectResponse>('post', '/api/v1/project', node(9, 'Dam'));
  const { user } = await form(null, 4);
  expect(field('node-parent').value).toBe('North / East');
  await user.type(field('node-title'), '   ');
  await user.click(field('form-save'));
  await waitFor(() => expect(field('node-title').getAttribute('aria-invalid')).toBe('true'));
  await user.clear(field('node-title'));
  await user.type(field('node-title'), ' Dam ');
  await user.click(field('form-save'));
  await waitFor(() => expect(done).toHaveBeenCalledWith(node(9, 'Dam')));
  expect(added[0]?.body).toEqual({ kind: 'project', title: 'Dam', parent_id: 4, remark: '' });
});

test('only a node that goes to another group is moved', async () => {
  const moved = answer<MoveProjectData, MoveProjectResponse>(
    'post',
    '/api/v1/project/{project_id}/move',
    node(3, 'Quarry'),
  );
  const changed = answer<ChangeProjectData, ChangeProjectResponse>(
    'put',
    '/api/v1/project/{project_id}',
    node(3, 'Quarry'),
  );
  const { user } = await form(NODES[2] as ProjectNode);
  await user.type(field('node-title'), '! ');
  await user.click(field('form-save'));
  await waitFor(() => expect(changed[0]?.body).toEqual({ title: 'Quarry!', remark: '' }));
  expect(moved).toEqual([]);
});

test('of a node that is moved but not renamed the tree is read again, and it can be moved back', async () => {
  const reads = answer<ListProjectsData, ListProjectsResponse>('get', '/api/v1/project', {
    nodes: NODES,
    none: NONE,
    truncated: false,
  });
  const moved = answer<MoveProjectData, MoveProjectResponse>(
    'post',
    '/api/v1/project/{project_id}/move',
    node(3, 'Quarry', { parent_id: 1 }),
  );
  refuse<ChangeProjectData>('put', '/api/v1/project/{project_id}', {
    status: 409,
    code: 20_000,
    data: { message: 'title is taken' },
  });
  const { user } = await show(<Projects />, { permissions: MAY, at: '/?node=3' });
  await user.click(await screen.findByTestId('node-edit'));
  await user.type(await screen.findByTestId('node-title'), '!');
  await user.click(field('node-parent'));
  await user.click(await screen.findByRole('option', { name: 'North', hidden: true }));
  const before = reads.length;
  await user.click(field('form-save'));
  expect(await screen.findByText(/title is taken/)).toBeTruthy();
  // Well before the tree is read again by itself.
  await waitFor(() => expect(reads.length).toBeGreaterThan(before), { timeout: 10_000 });
  expect(moved.map(({ body }) => body)).toEqual([{ parent_id: 1 }]);
  await user.type(field('node-title'), '{Backspace}');
  await user.click(field('node-parent'));
  await user.click(await screen.findByRole('option', { name: 'Top', hidden: true }));
  expect(field('form-save').disabled).toBe(false);
  await user.click(field('form-save'));
  await waitFor(() => expect(moved.map(({ body }) => body)).toEqual([{ parent_id: 1 }, { parent_id: null }]));
});

test('a group is offered every group but itself and what is below it', async () => {
  const { user } = await form(NODES[0] as ProjectNode);
  expect(screen.queryByTestId('node-kind')).toBeNull();
  await user.click(field('node-parent'));
  const options = await screen.findAllByRole('option', { hidden: true });
  expect(options.map(({ textContent }) => textContent).join()).not.toMatch(/North|East/);
});

const PREVIEW = {
  project_id: 2,
  title: 'Mill',
  deploy: { to_do: 3, offline: 2, unchanged: 1, read_only: 0 },
  reboot: { to_do: 0, offline: 2, unchanged: 0, read_only: 4 },
};

async function campaign(kind: 'deploy' | 'reboot'): Promise<Rendered> {
  done.mockReset();
  answer<PreviewCampaignData, PreviewCampaignResponse>('get', '/api/v1/project/{project_id}/campaign', PREVIEW);
  const page = await show(<CampaignDrawer kind={kind} projectId={2} onClose={() => undefined} onStarted={done} />);
  await screen.findByTestId('campaign-preview');
  return page;
}

const counts = (): number => within(screen.getByTestId('campaign-preview')).getAllByRole('listitem').length;

test('a deployment says what it reaches, and starts with a share of errors between 0 and 1', async () => {
  const calls = answer<DeployProjectData, DeployProjectResponse>('get', '/api/v1/device/projdeploy/{project_id}', {
    id: 77,
  } as unknown as DeployProjectResponse['data']);
  const { user } = await campaign('deploy');
  expect(counts()).toBe(3);
  await user.clear(field('campaign-errorShare'));
  await user.type(field('campaign-errorShare'), '35');
  await user.click(field('campaign-start'));
  await waitFor(() => expect(done).toHaveBeenCalledWith(77));
  expect(Object.fromEntries(calls[0]?.query ?? [])).toEqual({ error_share: '0.35', wait: 'false', canary: '1' });
});

test('a restart that reaches nobody starts once it waits for who is offline', async () => {
  const calls = answer<RebootProjectData, RebootProjectResponse>('get', '/api/v1/device/projreboot/{project_id}', {
    id: 78,
  } as unknown as RebootProjectResponse['data']);
  const { user } = await campaign('reboot');
  expect(field('campaign-start').disabled).toBe(true);
  await user.click(screen.getByRole('switch'));
  expect(screen.getByTestId('campaign-start').textContent).toContain('2');
  await user.click(field('campaign-start'));
  await waitFor(() => expect(done).toHaveBeenCalledWith(78));
  expect(Object.fromEntries(calls[0]?.query ?? [])).toEqual({ error_share: '0.2', wait: 'true', at_once: '20' });
});

test('a restart of none at a time is not started', async () => {
  const { user } = await campaign('deploy');
  expect(field('campaign-start').disabled).toBe(false);
  fireEvent.change(field('campaign-errorShare'), { target: { value: '101' } });
  await waitFor(() => expect(field('campaign-start').disabled).toBe(true));
  await user.click(field('campaign-start'));
  expect(done).not.toHaveBeenCalled();
});

test('a campaign that is refused says why in its drawer', async () => {
  refuse<DeployProjectData>('get', '/api/v1/device/projdeploy/{project_id}', {
    status: 409,
    code: 20_000,
    data: { message: 'another one runs' },
  });
  const { user } = await campaign('deploy');
  await user.click(field('campaign-start'));
  expect(await screen.findByText(/another one runs/)).toBeTruthy();
  expect(done).not.toHaveBeenCalled();
});

async function assignment(at: string, reply: AssignDevicesResponse['data'], permissions = MAY) {
  const calls = answer<AssignDevicesData, AssignDevicesResponse>('post', '/api/v1/project/assign', reply);
  const page = await show(<Assignment />, { permissions, at });
  await waitFor(() => expect(screen.getAllByTestId('assignment-row')).toHaveLength(2));
  await screen.findByTestId('assign-tree');
  await page.user.click(within(screen.getAllByTestId('assignment-row')[0] as HTMLElement).getByRole('checkbox'));
  return { ...page, calls };
}

const REPLY = { changed: 1, unchanged: 0, skipped: [], former: [{ project_id: 3, device_ids: [11] }] };

test('a gateway is put into a project, and back by the toast', async () => {
  const { user, calls } = await assignment('/?node=2', REPLY);
  expect(screen.getByTestId('assign-hint').textContent).toContain('Mill');
  expect(listed.at(-1)?.query.get('project_id')).toBe('0');
  await user.click(screen.getByTestId('bulk-assign'));
  await waitFor(() => expect(calls).toHaveLength(1));
  expect(calls[0]?.body).toEqual({ project_id: 2, device_ids: [11] });
  await user.click(await screen.findByTestId('undo'));
  await waitFor(() => expect(calls[1]?.body).toEqual({ project_id: 3, device_ids: [11] }));
});

test.each(['/', '/?node=1'])('at %s no project is chosen: nothing is assigned', async (at) => {
  const { user, calls } = await assignment(at, REPLY);
  await user.click(screen.getByTestId('bulk-assign'));
  await waitFor(() => expect(screen.getAllByText('Choose a project in the tree first.').length).toBeGreaterThan(0));
  expect(calls).toEqual([]);
});

test('a gateway is taken out of its project; what was none is said', async () => {
  const { user, calls } = await assignment('/?node=2', { changed: 0, unchanged: 1, skipped: [], former: [] });
  await user.click(screen.getByTestId('bulk-take-out'));
  await waitFor(() => expect(calls[0]?.body).toEqual({ project_id: null, device_ids: [11] }));
  expect(screen.queryByTestId('undo')).toBeNull();
});

test('the source of the list is asked of the cloud: all, or what the project has', async () => {
  const { unmount } = await assignment('/?node=2&source=all', REPLY);
  expect(listed.at(-1)?.query.get('project_id')).toBeNull();
  unmount();
  await assignment('/?node=2&source=node', REPLY);
  expect(listed.at(-1)?.query.get('project_id')).toBe('2');
});

async function tree(at: string): Promise<Rendered> {
  const page = await show(<Projects />, { permissions: MAY, at });
  await screen.findByTestId('node-head');
  return page;
}

test('an empty project is deleted after a question that names it', async () => {
  const gone: string[] = [];
  network.use(
    http.delete('*/api/v1/project/:id', ({ params, request }) => {
      gone.push(`${String(params.id)}${new URL(request.url).search}`);
      return HttpResponse.json({ code: 0, msg: '', data: null });
    }),
  );
  const { user } = await tree('/?node=3');
  await user.click(screen.getByTestId('node-remove'));
  expect((await screen.findByTestId('confirm-dialog')).textContent).toContain('Quarry');
  await user.click(screen.getByTestId('confirm-yes'));
  await waitFor(() => expect(gone).toEqual(['3']));
});

test('what a group holds goes to another one before it is deleted', async () => {
  const gone: (string | null)[] = [];
  network.use(
    http.delete('*/api/v1/project/:id', ({ request }) => {
      const to = new URL(request.url).searchParams.get('move_to');
      gone.push(to);
      const data = { reason: 'project.not_empty', arguments: { nodes: 2, devices: 0 } };
      return to === null
        ? HttpResponse.json({ code: 20_000, msg: '', data }, { status: 409 })
        : HttpResponse.json({ code: 0, msg: '', data: null });
    }),
  );
  const { user } = await tree('/?node=1');
  await user.click(screen.getByTestId('node-remove'));
  await screen.findByTestId('heir');
  expect(screen.queryByTestId('confirm-dialog')).toBeNull();
  expect(field('heir-confirm').disabled).toBe(true);
  await user.click(field('heir-to'));
  await user.click(
    (await screen.findAllByRole('option', { hidden: true })).find((each) => each.textContent === 'Top') as HTMLElement,
  );
  await user.click(field('heir-confirm'));
  await waitFor(() => expect(gone).toEqual([null, '0']));
});

test('a tree that cannot be loaded says why; one without nodes says what to do', async () => {
  refuse<ListProjectsData>('get', '/api/v1/project', { status: 400, code: 20_000, data: { message: 'no database' } });
  const { user } = await show(<Projects />, { permissions: MAY });
  const state = await screen.findByTestId('error-state');
  expect(state.textContent).toContain('no database');
  answer<ListProjectsData, ListProjectsResponse>('get', '/api/v1/project', {
    nodes: [],
    none: NONE,
    truncated: false,
  });
  await user.click(within(state).getByRole('button'));
  expect(await screen.findByTestId('empty-state')).toBeTruthy();
  expect(screen.queryByTestId('node-head')).toBeNull();
});
