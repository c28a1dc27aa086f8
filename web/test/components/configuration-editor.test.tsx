import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import type {
  CheckConfigurationData,
  CheckConfigurationResponse,
  ConfigurationState,
  DeploymentDetail,
  SaveDraftData,
  SaveDraftResponse,
} from '@/api/generated/types.gen';
import { queryClient } from '@/app/queryClient';
import { printed } from '@/features/configuration/document';
import { useDrafts } from '@/features/configuration/draft';
import { formatDateTime } from '@/lib/time';
import { unsaved } from '@/lib/unsaved';
import {
  address,
  answerConfiguration,
  button,
  CHECK,
  CONFIGURATION,
  detail,
  DOCUMENT,
  DRAFT,
  draft,
  OTHER,
  reads,
  RUNNING,
  serve,
  state,
  T0,
  tab,
  version,
} from './configuration-fixtures';
import type { Around } from './configuration-fixtures';
import { offeredFiles } from './files';
import { answer, network, refuse } from './network';
import type { Call } from './network';
import type { Rendered } from './render';

beforeEach(answerConfiguration);

test('a file becomes the text of the editor, whose note names it; a file that no gateway takes does not', async () => {
  const { user } = await tab();
  const big = new File(['x'], 'big.json');
  Object.defineProperty(big, 'size', { value: 17 * 1024 * 1024 });
  await user.upload(button('configuration-file'), big);
  expect(await screen.findByText(/The file is too large, at most 16 MB/)).toBeTruthy();
  await user.upload(button('configuration-file'), new File(['[gateway]\nid = "gw-1"\n'], 'gateway.toml'));
  expect((await screen.findByTestId<HTMLTextAreaElement>('document-editor')).value).toBe('[gateway]\nid = "gw-1"\n');
  expect(screen.getByText('From the file gateway.toml')).toBeTruthy();
  expect(screen.getByTestId<HTMLInputElement>('draft-note').value).toBe('From the file gateway.toml');
  const sent = saves();
  await user.click(button('save-draft'));
  await waitFor(() =>
    expect(sent[0]?.body).toEqual({
      document: { gateway: { id: 'gw-1' } },
      base: RUNNING,
      note: 'From the file gateway.toml',
    }),
  );
});

/** The cloud keeps each draft as the same version. */
function saves(hash = DRAFT): Call[] {
  return answer<SaveDraftData, SaveDraftResponse>('put', CONFIGURATION, version({ hash }));
}

const area = (): HTMLTextAreaElement => screen.getByTestId<HTMLTextAreaElement>('document-editor');
const selected = (): string => area().value.slice(area().selectionStart, area().selectionEnd);

async function editor(changes: Partial<ConfigurationState> = {}, around: Around = {}): Promise<Rendered> {
  const page = await tab(changes, { at: '&cfg=document&cfg_edit=1', ...around });
  await screen.findByTestId('document-editor');
  return page;
}

async function write({ user }: Rendered, text: string): Promise<void> {
  await user.clear(area());
  await user.click(area());
  await user.paste(text);
}

test('the editor begins with what runs, printed in order, with the number of each line', async () => {
  await editor();
  expect(area().value).toBe(printed(DOCUMENT));
  expect(area().value.indexOf('"gateway"')).toBeLessThan(area().value.indexOf('"points"'));
  const lines = area().value.split('\n').length;
  expect(screen.getByTestId('line-numbers').textContent.split('\n')).toHaveLength(lines);
});

test('what was typed is saved as a draft over the newest version, with its note, and then compared', async () => {
  const page = await editor({ newest: OTHER });
  const sent = saves();
  await write(page, '{"gateway": {"id": "gw-2"}}');
  await page.user.type(screen.getByTestId('draft-note'), '  new id ');
  await page.user.click(button('save-draft'));
  await waitFor(() =>
    expect(sent[0]?.body).toEqual({ document: { gateway: { id: 'gw-2' } }, base: OTHER, note: 'new id' }),
  );
  expect(await screen.findByText('Draft saved')).toBeTruthy();
  expect(address()).toMatchObject({ cfg: 'compare', cfg_from: RUNNING, cfg_to: DRAFT });
  expect(screen.queryByTestId('document-editor')).toBeNull();
  expect(useDrafts.getState().byDevice).toEqual({});
  await waitFor(() => expect(reads.length).toBeGreaterThan(1));
});

test('a text that is no JSON is not sent; the place of its fault is one click away', async () => {
  const page = await editor();
  const sent = saves();
  await write(page, '{\n  "gateway": {},\n  "points": oops\n}');
  await page.user.click(button('save-draft'));
  const fault = screen.getByTestId('document-error');
  expect(fault.textContent).toContain('The text cannot be read.');
  await page.user.click(within(fault).getByRole('button', { name: /Line 3, column \d+/ }));
  expect(selected()).toBe('  "points": oops');
  expect(sent).toEqual([]);
});

test.each([
  ['[1, 2]', 'The top level of a configuration must be an object.'],
  ['{"points": [{"max": 9007199254740993}]}', 'points[0].max: This number exceeds the precision of the browser'],
])('a text that a browser would change is not sent: %s', async (text, words) => {
  const page = await editor();
  const sent = saves();
  await write(page, text);
  await page.user.click(button('save-draft'));
  expect(screen.getByTestId('document-error').textContent).toContain(words);
  expect(sent).toEqual([]);
});

test('what the cloud says of a field is told in words, and the field is found in a text of any layout', async () => {
  const page = await editor();
  refuse<SaveDraftData>('put', CONFIGURATION, {
    status: 400,
    code: 10_002,
    data: { field: 'document.points[1].name', rule: 'at most 64 characters' },
  });
  await write(page, JSON.stringify(DOCUMENT));
  await page.user.click(button('save-draft'));
  const fault = await screen.findByTestId('document-error');
  expect(screen.getByTestId('document-error-field').textContent).toBe('points[1].name');
  expect(fault.textContent).toContain('64');
  await page.user.click(within(fault).getByRole('button', { name: 'Go to it' }));
  await waitFor(() => expect(selected().trim()).toBe('"name": "level",'));
  expect(area().value).toBe(printed(DOCUMENT));
});

test('a draft that cannot be saved says why, and the text stays', async () => {
  const page = await editor();
  refuse<SaveDraftData>('put', CONFIGURATION, { status: 500, code: 20_000, data: { message: 'disk full' } });
  await write(page, '{"gateway": {}}');
  await page.user.click(button('save-draft'));
  expect((await screen.findByTestId('document-error')).textContent).toContain('disk full');
  expect(area().value).toBe('{"gateway": {}}');
  const sent = saves();
  await page.user.click(button('save-draft'));
  await waitFor(() => expect(sent).toHaveLength(1));
});

test('what is typed outlives a look at another view, which says so; it is given up on demand', async () => {
  const page = await editor();
  await write(page, '{"gateway": {}}');
  await page.user.click(within(screen.getByTestId('configuration-view')).getByText('Versions'));
  expect((await screen.findByTestId('unsaved')).textContent).toContain('There are unsaved edits.');
  await page.user.click(within(screen.getByTestId('unsaved')).getByRole('button'));
  expect((await screen.findByTestId<HTMLTextAreaElement>('document-editor')).value).toBe('{"gateway": {}}');
  await page.user.click(screen.getByRole('button', { name: 'Discard edits' }));
  expect(await screen.findByTestId('save-document')).toBeTruthy();
  expect(screen.queryByTestId('unsaved')).toBeNull();
});

test('what nobody changed is not called unsaved', async () => {
  const { user } = await editor();
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeTruthy();
  await user.click(within(screen.getByTestId('configuration-view')).getByText('Versions'));
  await waitFor(() => expect(screen.queryByTestId('document-editor')).toBeNull());
  expect(screen.queryByTestId('unsaved')).toBeNull();
});

test('a text that was not made from the draft says that it replaces it', async () => {
  await editor({ draft: draft() }, { at: `&cfg=document&cfg_edit=1&cfg_version=${RUNNING}` });
  expect(screen.getByTestId('replaces-draft').textContent).toContain(
    `Saving replaces the draft that Wang saved at ${formatDateTime(T0 + 60_000)}`,
  );
});

test('a text that was made from the draft replaces nothing', async () => {
  await editor({ draft: draft() });
  expect(screen.queryByTestId('replaces-draft')).toBeNull();
});

test('a text too long for a browser is saved as it came', async () => {
  const text = JSON.stringify({ gateway: { title: 'x'.repeat(1_500_000) } });
  useDrafts.getState().begin(1, { text, original: text, file: 'long.json', note: '', base: RUNNING, from: null });
  const { user } = await tab({}, { at: '&cfg=document&cfg_edit=1' });
  expect(await screen.findByText(/about 1500 thousand characters/)).toBeTruthy();
  expect(screen.queryByTestId('document-editor')).toBeNull();
  const sent = saves();
  await user.click(button('save-draft'));
  await waitFor(() => expect(sent[0]?.body).toMatchObject({ document: JSON.parse(text) as unknown }));
});

function refuseAsOvertaken(): void {
  refuse<SaveDraftData>('put', CONFIGURATION, { status: 409, data: { field: 'base', rule: OTHER } });
}

test.each([
  [
    'Zhao',
    'Another user saved first',
    `While you were editing, Zhao saved a version at ${formatDateTime(T0)}: eeeeeeee`,
  ],
  ['', "The gateway's configuration has changed", 'The gateway is running a different configuration'],
])('who was overtaken is told by whom (%s), how much it is, and that nothing is lost', async (author, title, words) => {
  const page = await editor({ versions: [version({ hash: OTHER, author }), version()] });
  refuseAsOvertaken();
  await write(page, '{"gateway": {}}');
  await page.user.click(button('save-draft'));
  const dialog = await screen.findByRole('dialog', { name: title });
  await waitFor(() => expect(dialog.textContent).toContain(words));
  await waitFor(() => expect(dialog.textContent).toContain('Differences from your starting point: 3.'));
  expect(dialog.textContent).toContain('Your edits are not lost');
  expect(screen.queryByTestId('document-error')).toBeNull();
  await page.user.click(within(dialog).getByRole('button', { name: 'Continue editing' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: title })).toBeNull());
  expect(area().value).toBe('{"gateway": {}}');
});

test('who was overtaken takes the text along, and saves it over the version that came between', async () => {
  const files = offeredFiles();
  const page = await editor();
  refuseAsOvertaken();
  await write(page, '{"gateway": {}}');
  await page.user.click(button('save-draft'));
  await page.user.click(await screen.findByRole('button', { name: 'Download my text' }));
  expect(files[0]?.name).toBe('draft-1.json');
  expect(await files[0]?.content.text()).toBe('{"gateway": {}}');
  const sent = saves();
  await page.user.click(button('conflict-over'));
  await waitFor(() => expect(sent[0]?.body).toEqual({ document: { gateway: {} }, base: OTHER, note: '' }));
});

test('who was overtaken sees the change that came between, and the text is kept', async () => {
  const page = await editor();
  refuseAsOvertaken();
  await write(page, '{"gateway": {}}');
  await page.user.click(button('save-draft'));
  await page.user.click(await screen.findByTestId('conflict-see'));
  expect(address()).toMatchObject({ cfg: 'compare', cfg_from: RUNNING, cfg_to: OTHER });
  expect(useDrafts.getState().byDevice[1]?.text).toBe('{"gateway": {}}');
});

async function validated(page: Rendered, result: Partial<DeploymentDetail>, text = '{"gateway": {}}'): Promise<Call[]> {
  saves();
  const checks = answer<CheckConfigurationData, CheckConfigurationResponse>('post', CHECK, detail(result));
  await write(page, text);
  await page.user.click(button('check-draft'));
  await screen.findByTestId('draft-checked');
  return checks;
}

test('the gateway validates the saved text; what is typed afterwards it has not seen', async () => {
  const page = await editor();
  const checks = await validated(page, { state: 'checked' });
  expect(checks[0]?.body).toEqual({ hash: DRAFT });
  expect(screen.getByTestId('draft-checked').textContent).toContain('The gateway validated the configuration');
  await page.user.type(area(), ' ');
  expect(screen.queryByTestId('draft-checked')).toBeNull();
  const sent = saves();
  await page.user.click(button('save-draft'));
  await waitFor(() => expect(sent[0]?.body).toMatchObject({ base: DRAFT }));
});

test('what is saved to be validated is not called unsaved, what is typed afterwards is', async () => {
  const page = await editor();
  serve({ draft: draft() });
  await validated(page, { state: 'checked' });
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Discard edits' })).toBeNull();
  expect(unsaved.isAny()).toBe(false);
  await screen.findByTestId('draft');
  expect(area().value).toBe('{"gateway": {}}');
  expect(screen.getByTestId('draft-checked')).toBeTruthy();
  await page.user.type(area(), ' ');
  expect(screen.getByRole('button', { name: 'Discard edits' })).toBeTruthy();
  expect(unsaved.isAny()).toBe(true);
});

test('a file that is saved to be validated is not called unsaved, and stays the text', async () => {
  const file = '[gateway]\nid = "gw-9"\n';
  const writing = { text: file, original: file, file: 'gateway.toml', note: '', base: RUNNING, from: null };
  useDrafts.getState().begin(1, writing);
  const page = await editor();
  expect(unsaved.isAny()).toBe(true);
  saves();
  // The version that runs is read before it is known that there is a draft.
  network.use(
    http.get('*/api/v1/device/:id/configuration', async () => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return HttpResponse.json({ code: 0, msg: '', data: state({ draft: draft() }) });
    }),
  );
  await page.user.click(button('check-draft'));
  await screen.findByTestId('draft-checked');
  await screen.findByTestId('draft');
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
  expect(area().value).toBe(file);
  expect(unsaved.isAny()).toBe(false);
  await page.user.click(within(screen.getByTestId('configuration-view')).getByText('Versions'));
  expect(screen.queryByTestId('unsaved')).toBeNull();
  expect(useDrafts.getState().byDevice).toEqual({});
});

test('each fault that the gateway finds has its line, its rule and the way there, until it is mended', async () => {
  const page = await editor();
  const faults = [{ field: 'points[1].name', rule: 'at most 64 characters' }];
  await validated(page, { state: 'refused', faults }, JSON.stringify(DOCUMENT));
  const result = screen.getByTestId('draft-checked');
  expect(result.textContent).toContain('The gateway would refuse this version');
  expect(result.textContent).toContain('64');
  await page.user.click(within(result).getByRole('button', { name: /^Line \d+ points\[1\]\.name$/ }));
  await waitFor(() => expect(selected().trim()).toBe('"name": "level",'));
  await page.user.keyboard('x');
  expect(screen.getByTestId('draft-checked').textContent).toContain('points[1].name');
});

test('a check that the gateway does not answer says so, and is not called well', async () => {
  const page = await editor();
  await validated(page, { state: 'networkError', code: 'no_receipt', detail: 'after 20 s' });
  expect(screen.getByTestId('draft-checked').textContent).toBe('The gateway did not respond in time · after 20 s');
});

test('a check that the cloud refuses says why, and is not called well', async () => {
  const page = await editor();
  saves();
  refuse<CheckConfigurationData>('post', CHECK, { status: 409, code: 20_000, data: { message: 'another check' } });
  await write(page, '{"gateway": {}}');
  await page.user.click(button('check-draft'));
  expect((await screen.findByTestId('document-error')).textContent).toContain('another check');
  expect(screen.queryByTestId('draft-checked')).toBeNull();
});

test('a gateway that is offline is not asked to validate; the draft can be saved', async () => {
  await editor({}, { device: { link: { online: false, since_ms: 0, reason: '' } } });
  expect(button('check-draft').disabled).toBe(true);
  expect(button('check-draft').title).toBe('The gateway is offline');
  expect(button('save-draft').disabled).toBe(false);
});
