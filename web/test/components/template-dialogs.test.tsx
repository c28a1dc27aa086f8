import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type {
  ChangeTemplateData,
  ChangeTemplateResponse,
  CompareTemplateSheetsData,
  CreateTemplateData,
  CreateTemplateResponse,
  ListReadyTemplatesData,
  ListReadyTemplatesResponse,
  MoveTemplateData,
  MoveTemplateResponse,
  TemplateRow,
  TemplateSheets,
} from '@/api/generated/types.gen';
import MoveDrawer from '@/features/templates/components/MoveDrawer';
import NodeDrawer from '@/features/templates/components/NodeDrawer';
import SheetDialog from '@/features/templates/components/SheetDialog';
import { answer, network, refuse } from './network';
import type { Call } from './network';
import { http, HttpResponse } from 'msw';
import { answerProtocols } from './protocols';
import { show } from './render';
import type { Rendered } from './render';

const WORKBOOK_URL = '/api/v1/template/{template_id}/workbook';
const saved = vi.fn();
const closed = vi.fn();
const taken = vi.fn();
let created: Call[];
let changed: Call[];
let moved: Call[];

function node(changes: Partial<TemplateRow> = {}): TemplateRow {
  return {
    template_id: 1,
    parent_id: null,
    kind: 'template',
    category: 'point',
    title: 'Pump',
    protocol: 'modbus_tcp',
    remark: 'for all pumps',
    owner: 'tester',
    shared: false,
    writes: true,
    place: 0,
    newest: 1,
    points: 3,
    slaves: 0,
    created_ms: 0,
    ...changes,
  };
}

const group = (template_id: number, title: string, changes: Partial<TemplateRow> = {}): TemplateRow =>
  node({ template_id, title, kind: 'group', newest: 0, ...changes });

const ROWS = [
  group(10, 'Pumps'),
  group(11, 'Small pumps', { parent_id: 10 }),
  group(12, 'Of others', { writes: false }),
  node({ parent_id: 10 }),
];

beforeEach(() => {
  for (const each of [saved, closed, taken]) each.mockReset();
  answerProtocols();
  answer<ListReadyTemplatesData, ListReadyTemplatesResponse>('get', '/api/v1/template/ready', {
    rows: [{ name: 'meter-3p', zh: '三相电表', en: 'Three-phase meter', protocol: 'dlt645_2007', points: 40 }],
  } as unknown as ListReadyTemplatesResponse['data']);
  created = answer<CreateTemplateData, CreateTemplateResponse>('post', '/api/v1/template', node());
  changed = answer<ChangeTemplateData, ChangeTemplateResponse>('put', '/api/v1/template/{template_id}', node());
  moved = answer<MoveTemplateData, MoveTemplateResponse>('post', '/api/v1/template/{template_id}/move', node());
});

interface Case {
  kind?: TemplateRow['kind'];
  category?: TemplateRow['category'];
  of?: TemplateRow | null;
  parentId?: number | null;
  language?: 'zh' | 'en';
}

function drawer({ kind = 'template', category = 'point', of = null, parentId = null, language = 'en' }: Case = {}) {
  return show(
    <NodeDrawer
      category={category}
      kind={kind}
      node={of}
      rows={ROWS}
      parentId={parentId}
      onClose={closed}
      onSaved={saved}
    />,
    { language },
  );
}

const field = (name: string): HTMLInputElement => screen.getByTestId<HTMLInputElement>(name);
const save = (): HTMLElement => screen.getByTestId('form-save');
const isWrong = (name: string): Promise<void> =>
  waitFor(() => expect(field(name).getAttribute('aria-invalid')).toBe('true'));

async function choose({ user }: Rendered, name: string, title: string | RegExp): Promise<void> {
  await user.click(field(name));
  await user.click(await screen.findByRole('option', { name: title, hidden: true }));
}

test('a new point template needs a title and a protocol', async () => {
  const page = await drawer();
  await page.user.type(field('node-title'), '   ');
  await page.user.click(save());
  await isWrong('node-title');
  await isWrong('node-protocol');
  await page.user.type(field('node-title'), 'Fan ');
  await choose(page, 'node-protocol', 'Modbus TCP');
  await page.user.click(save());
  await waitFor(() => expect(created).toHaveLength(1));
  expect(created[0]?.body).toEqual({
    category: 'point',
    kind: 'template',
    title: 'Fan',
    remark: '',
    shared: false,
    parent_id: null,
    protocol: 'modbus_tcp',
  });
  await waitFor(() => expect(saved).toHaveBeenCalled());
});

test('a group has neither source nor protocol', async () => {
  const page = await drawer({ kind: 'group', parentId: 10 });
  expect(screen.queryByTestId('node-from')).toBeNull();
  await page.user.type(field('node-title'), 'Fans');
  await page.user.click(field('node-shared'));
  await page.user.click(save());
  await waitFor(() => expect(created).toHaveLength(1));
  expect(created[0]?.body).toEqual({
    category: 'point',
    kind: 'group',
    title: 'Fans',
    remark: '',
    shared: true,
    parent_id: 10,
  });
});

test('a group of somebody else is offered to nobody', async () => {
  const page = await drawer();
  await page.user.click(field('node-parent'));
  const offered = (await screen.findAllByRole('option', { hidden: true })).map(({ textContent }) => textContent);
  expect(offered).toContain('Small pumps');
  expect(offered).not.toContain('Of others');
});

test.each([
  ['en', 'en', /Three-phase meter/],
  ['zh', 'zh', /三相电表/],
] as const)('a ready template is taken in the language of the user (%s)', async (language, sent, title) => {
  const page = await drawer({ language });
  await page.user.type(field('node-title'), 'M');
  await screen.findByTestId('node-protocol');
  await choose(page, 'node-from', title);
  expect(screen.queryByTestId('node-protocol')).toBeNull();
  await page.user.click(save());
  await waitFor(() => expect(created).toHaveLength(1));
  expect(created[0]?.body).toMatchObject({ source: { ready: 'meter-3p', language: sent } });
});

test('a gateway template begins empty without a protocol', async () => {
  const page = await drawer({ category: 'gateway' });
  expect(screen.queryByTestId('node-protocol')).toBeNull();
  await page.user.type(field('node-title'), 'Station');
  await page.user.click(save());
  await waitFor(() => expect(created[0]?.body).not.toHaveProperty('protocol'));
});

test('a template from a gateway names the gateway', async () => {
  const page = await drawer({ category: 'gateway' });
  await page.user.type(field('node-title'), 'Station');
  await choose(page, 'node-from', /gateway/i);
  await page.user.click(save());
  await waitFor(() => expect(screen.getByTestId('form-drawer').querySelector('[aria-invalid=true]')).not.toBeNull());
  expect(created).toEqual([]);
});

test('of a template that is there only its words are changed', async () => {
  const page = await drawer({ of: node() });
  expect(screen.queryByTestId('node-from')).toBeNull();
  expect(screen.queryByTestId('node-parent')).toBeNull();
  await page.user.clear(field('node-title'));
  await page.user.type(field('node-title'), 'Pump V3');
  await page.user.click(save());
  await waitFor(() => expect(changed).toHaveLength(1));
  expect(changed[0]?.body).toEqual({ title: 'Pump V3', remark: 'for all pumps', shared: false });
});

test('a title that is taken is told at its field', async () => {
  refuse<ChangeTemplateData>('put', '/api/v1/template/{template_id}', {
    status: 409,
    data: { field: 'title', rule: 'not taken by another' },
  });
  const page = await drawer({ of: node() });
  await page.user.type(field('node-title'), ' 2');
  await page.user.click(save());
  await isWrong('node-title');
  expect(saved).not.toHaveBeenCalled();
});

function move(of: TemplateRow): Promise<Rendered> {
  return show(<MoveDrawer node={of} rows={ROWS} onClose={closed} onMoved={saved} />);
}

test('a template goes to another group, or to the top', async () => {
  const { user } = await move(ROWS[3]!);
  await user.click(within(screen.getByTestId('move-tree')).getByText('Small pumps'));
  await user.click(screen.getByTestId('move-go'));
  await waitFor(() => expect(moved[0]?.body).toMatchObject({ parent_id: 11 }));
  await waitFor(() => expect(saved).toHaveBeenCalledTimes(1));
});

test('a group cannot go below itself, nor to a group of somebody else', async () => {
  await move(ROWS[0]!);
  const tree = within(screen.getByTestId('move-tree'));
  expect(tree.queryByText('Pumps')).toBeNull();
  expect(tree.queryByText('Small pumps')).toBeNull();
  expect(tree.queryByText('Of others')).toBeNull();
});

test('a move that is refused is told, and the drawer stays', async () => {
  refuse<MoveTemplateData>('post', '/api/v1/template/{template_id}/move', {
    status: 400,
    code: 20_000,
    data: { message: 'too deep' },
  });
  const { user } = await move(ROWS[3]!);
  await user.click(screen.getByTestId('move-go'));
  expect(await screen.findByText(/too deep/)).toBeTruthy();
  expect(saved).not.toHaveBeenCalled();
});

function sheets(changes: Partial<TemplateSheets> = {}): TemplateSheets {
  const made: unknown = {
    version: 4,
    document: { points: [] },
    differs: true,
    unchanged: 2,
    ignored: ['Notes'],
    rows: [
      {
        kind: 'changed',
        sheet: 'points',
        number: 3,
        key: ['pressure'],
        cells: [{ field: 'unit', before: 'bar', after: 'kPa', code: '', arguments: {} }],
      },
      {
        kind: 'wrong',
        sheet: 'points',
        number: 4,
        key: ['flow'],
        cells: [{ field: 'name', before: null, after: 'a b', code: 'name', arguments: {} }],
      },
    ],
    ...changes,
  };
  return made as TemplateSheets;
}

async function compared(found: TemplateSheets | null): Promise<Rendered> {
  if (found !== null)
    network.use(
      http.post('*/api/v1/template/:id/workbook', () => HttpResponse.json({ code: 0, msg: '', data: found })),
    );
  const page = await show(<SheetDialog node={node()} onClose={closed} onTake={taken} />);
  fireEvent.change(screen.getByTestId('sheet-file'), { target: { files: [new File(['x'], 'pump.xlsx')] } });
  return page;
}

const take = (): HTMLButtonElement => screen.getByTestId<HTMLButtonElement>('sheet-take');

test('a workbook is shown against the version, cell by cell, and taken into the editor', async () => {
  const { user } = await compared(sheets());
  const rows = await screen.findAllByTestId('sheet-row');
  expect(rows.map(({ dataset }) => dataset.kind)).toEqual(['changed', 'wrong']);
  expect(within(rows[0] as HTMLElement).getByText('bar').tagName).toBe('DEL');
  expect(within(rows[0] as HTMLElement).getByText('kPa').tagName).toBe('INS');
  expect(screen.getByTestId('sheet-counts').textContent).toMatch(/1.*1.*2/);
  expect(screen.getByTestId('sheet-dialog').textContent).toContain('Notes');
  await user.click(take());
  expect(taken).toHaveBeenCalledWith(4, { points: [] });
  expect(closed).toHaveBeenCalled();
});

test('a workbook that is the same as the version is not taken', async () => {
  await compared(sheets({ differs: false, rows: [], ignored: [] }));
  await screen.findByTestId('sheet-counts');
  expect(take().disabled).toBe(true);
});

test('a workbook that cannot be read is refused in place', async () => {
  refuse<CompareTemplateSheetsData>('post', WORKBOOK_URL, {
    status: 400,
    code: 20_000,
    data: { message: 'no workbook' },
  } satisfies Parameters<typeof refuse>[2]);
  await compared(null);
  expect((await screen.findByRole('alert')).textContent).toContain('no workbook');
  expect(take().disabled).toBe(true);
});

test('without a file nothing can be taken', async () => {
  await show(<SheetDialog node={node()} onClose={closed} onTake={taken} />);
  expect(take().disabled).toBe(true);
  expect(screen.queryByTestId('sheet-counts')).toBeNull();
});
