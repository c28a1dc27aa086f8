import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { afterEach, expect, test, vi } from 'vitest';
import type {
  AddFirmwareKeyData,
  AddFirmwareKeyResponse,
  DeleteFirmwareKeyData,
  DeleteFirmwareKeyResponse,
  ListFirmwareData,
  ListFirmwareKeysData,
  ListFirmwareKeysResponse,
  ListFirmwareProjectsData,
  ListFirmwareProjectsResponse,
  ListFirmwareResponse,
  ListFirmwareUpgradesData,
  ListFirmwareUpgradesResponse,
} from '@/api/generated/types.gen';
import type { FileRow, KeyRow } from '@/features/firmware/api';
import Applications from '@/features/firmware/screens/Applications';
import Firmware from '@/features/firmware/screens/Firmware';
import FirmwareProjects from '@/features/firmware/screens/FirmwareProjects';
import UpgradeLog from '@/features/firmware/screens/UpgradeLog';
import UpgradesTab from '@/features/firmware/screens/UpgradesTab';
import { FILE, firmwareFile, giveTablesHeight, KEY, MAY, PROJECT, UPGRADE } from './firmware-fixtures';
import { offeredFiles } from './files';
import { answer, network } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

afterEach(() => vi.restoreAllMocks());

const FILE_URL = '*/api/v1/firmware/file';

function listed(rows: FileRow[], keys: KeyRow[]): Call[] {
  answer<ListFirmwareKeysData, ListFirmwareKeysResponse>('get', '/api/v1/firmware/key', { rows: keys });
  return answer<ListFirmwareData, ListFirmwareResponse>('get', '/api/v1/firmware/file', { rows, total: rows.length });
}

async function dialog(keys: KeyRow[] = [KEY]): Promise<Rendered> {
  listed([], keys);
  const page = await show(<Firmware />, { permissions: MAY, flags: { ot: 1 }, at: '/ota/firmware?tab=files' });
  await page.user.click(await screen.findByTestId('firmware-upload'));
  await screen.findByTestId('firmware-upload-dialog');
  return page;
}

/** Also one that the browser's own dialog would not offer. */
function choose(file: File): void {
  const input = screen.getByTestId('firmware-upload-dialog').querySelector('input[type=file]');
  fireEvent.change(input as HTMLInputElement, { target: { files: [file] } });
}

const sendable = (): boolean => !screen.getByTestId<HTMLButtonElement>('firmware-send').disabled;
const refused = async (): Promise<HTMLElement> => screen.findByTestId('firmware-refused');

test('a file says what it is, is sent as it is, and stands in the list', async () => {
  const page = await dialog();
  const sent: { name: string | null; bytes: number; kind: string | null }[] = [];
  network.use(
    http.post(FILE_URL, async ({ request }) => {
      const bytes = (await request.arrayBuffer()).byteLength;
      sent.push({
        name: new URL(request.url).searchParams.get('file_name'),
        bytes,
        kind: request.headers.get('Content-Type'),
      });
      return HttpResponse.json({ code: 0, msg: '', data: FILE });
    }),
  );
  const file = firmwareFile();
  choose(file);
  const facts = await screen.findByTestId('firmware-manifest');
  for (const words of ['edge-agent', 'Slot image (2)', '2.0 (2)', 'gw-200', 'release'])
    expect(facts.textContent).toContain(words);
  listed([FILE], [KEY]);
  await page.user.click(screen.getByTestId('firmware-send'));
  await waitFor(() => expect(screen.getAllByTestId('firmware-files-row')).toHaveLength(1));
  expect(sent).toEqual([{ name: 'two.bin', bytes: file.size, kind: 'application/octet-stream' }]);
  const [row] = screen.getAllByTestId('firmware-files-row');
  for (const words of ['edge-agent 2.0', 'Trusted', 'release', 'gw-200', 'abababababab'])
    expect(row?.textContent).toContain(words);
});

test.each([
  ['of another kind', new File(['hello'], 'a.bin'), 'format', 'Not a signed firmware file'],
  ['that was cut', firmwareFile({}, 101), 'size', 'The file is incomplete'],
  ['of another ending', firmwareFile({}, 100, 'a.txt'), 'name', 'must end with .bin'],
  ['of an unknown key', firmwareFile({ key_id: 'mine' }), 'key', 'Signed by the key "mine", which is not trusted'],
])('a file %s is not even sent, and says what to do', async (_what, file, reason, words) => {
  await dialog();
  choose(file);
  const alert = await refused();
  expect(alert.dataset.reason).toBe(reason);
  expect(alert.textContent).toContain(words);
  expect(sendable()).toBe(false);
  const link = within(alert).queryByTestId('firmware-to-keys');
  expect(link?.getAttribute('href') ?? null).toBe(reason === 'key' ? '/ota/firmware?tab=keys' : null);
});

test.each([
  ['signature', 'The signature does not match the file', 'Sign it again'],
  ['hash', 'The file is damaged', 'Sign it again'],
  ['too_many_files', 'at most 200 firmware files', ''],
])('a file that the cloud refuses for its %s says so', async (reason, words, more) => {
  const page = await dialog();
  const data = { field: 'file', rule: 'r', reason: `firmware.${reason}`, arguments: { most: 200 } };
  network.use(http.post(FILE_URL, () => HttpResponse.json({ code: 20_000, msg: '', data }, { status: 400 })));
  choose(firmwareFile());
  await page.user.click(await screen.findByTestId('firmware-send'));
  const alert = await refused();
  expect(alert.textContent).toContain(words);
  expect(alert.textContent).toContain(more);
  choose(firmwareFile()); // another one begins anew
  await waitFor(() => expect(screen.queryByTestId('firmware-refused')).toBeNull());
  expect(sendable()).toBe(true);
});

test('a connection that is cut says that the platform may have refused the file', async () => {
  const page = await dialog();
  network.use(http.post(FILE_URL, () => HttpResponse.error()));
  choose(firmwareFile());
  await page.user.click(await screen.findByTestId('firmware-send'));
  const alert = await refused();
  expect(alert.dataset.reason).toBe('network');
  expect(alert.textContent).toContain('refused a large file for its signature');
});

test('without a key nothing can be sent, and the dialog leads to the keys', async () => {
  await dialog([]);
  choose(firmwareFile());
  await screen.findByTestId('firmware-manifest');
  const alert = await refused();
  expect(alert.dataset.reason).toBe('no_key');
  expect(within(alert).getByRole('link').getAttribute('href')).toBe('/ota/firmware?tab=keys');
  expect(sendable()).toBe(false);
});

test('an upload that is given up can be begun again', async () => {
  const page = await dialog();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  network.use(
    http.post(FILE_URL, async () => {
      await held;
      return HttpResponse.json({ code: 0, msg: '', data: FILE });
    }),
  );
  choose(firmwareFile());
  await page.user.click(await screen.findByTestId('firmware-send'));
  await screen.findByTestId('firmware-progress');
  await page.user.click(screen.getByTestId('firmware-cancel'));
  await waitFor(() => expect(screen.queryByTestId('firmware-progress')).toBeNull());
  expect(screen.queryByTestId('firmware-refused')).toBeNull();
  expect(sendable()).toBe(true);
  release();
});

test('a file of a plan is not deleted; what a deletion means is said', async () => {
  listed([FILE, { ...FILE, id: 6, plans: 2 }], [KEY]);
  const { user } = await show(<Firmware />, {
    permissions: MAY,
    flags: { ot: 1 },
    at: '/ota/firmware?tab=files',
  });
  const [free, used] = await screen.findAllByTestId('row-remove');
  expect(used?.getAttribute('aria-disabled')).toBe('true');
  await user.click(free!);
  expect((await screen.findByTestId('confirm-dialog')).textContent).toContain('Gateways that run this version: 3');
});

test('a key is added by the line that the tool prints; a private one is refused', async () => {
  listed([], []);
  const { user } = await show(<Firmware />, { permissions: MAY, flags: { ot: 1 }, at: '/ota/firmware?tab=keys' });
  await user.click(await screen.findByTestId('firmware-keys-create'));
  await user.click(await screen.findByTestId('key-public'));
  await user.paste('-----BEGIN PRIVATE KEY-----');
  await user.click(screen.getByTestId('form-save'));
  expect(await screen.findByText(/never hand it out/)).toBeDefined();
  await user.clear(screen.getByTestId('key-public'));
  await user.click(screen.getByTestId('key-public'));
  await user.paste(`release = "${KEY.public_key}"`);
  expect(screen.getByTestId<HTMLInputElement>('key-id').value).toBe('release');
  const added = answer<AddFirmwareKeyData, AddFirmwareKeyResponse>('post', '/api/v1/firmware/key', KEY);
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(added[0]?.body).toEqual({ key_id: 'release', public_key: KEY.public_key }));
});

test('deleting a key says what pauses and wants its name; that of others stays', async () => {
  giveTablesHeight();
  listed([], [KEY, { ...KEY, id: 2, key_id: 'vendor', is_own: false }]);
  const { user } = await show(<Firmware />, { permissions: MAY, flags: { ot: 1 }, at: '/ota/firmware?tab=keys' });
  const [own, other] = await screen.findAllByTestId('row-remove');
  expect(other?.getAttribute('aria-disabled')).toBe('true');
  const gone = answer<DeleteFirmwareKeyData, DeleteFirmwareKeyResponse>(
    'delete',
    '/api/v1/firmware/key/{firmware_key}',
    null,
  );
  await user.click(own!);
  const asked = await screen.findByTestId('confirm-dialog');
  expect(asked.textContent).toContain('Running plans that pause at once: 1');
  expect(screen.getByTestId<HTMLButtonElement>('confirm-yes').disabled).toBe(true);
  await user.type(screen.getByTestId('confirm-typed'), 'release');
  await user.click(screen.getByTestId('confirm-yes'));
  await waitFor(() => expect(gone).toHaveLength(1));
});

test('the applications are packages alone; who may not upgrade begins no plan there', async () => {
  const asked = listed([{ ...FILE, upgrade_type: 1 }], [KEY]);
  await show(<Applications />, { permissions: ['OtaManager', 'ota.App'], flags: { ot: 1 }, at: '/ota/app' });
  expect(await screen.findAllByTestId('firmware-apps-row')).toHaveLength(1);
  expect(asked[0]?.query.get('upgrade_type')).toBe('1');
  expect(screen.getByTestId('plan-for').getAttribute('aria-disabled')).toBe('true');
});

test('projects say what their gateways run and which plans are under way', async () => {
  giveTablesHeight();
  answer<ListFirmwareProjectsData, ListFirmwareProjectsResponse>('get', '/api/v1/firmware/project', {
    rows: [PROJECT, { ...PROJECT, project_id: null, kind: 'none', title: '', plans: [], versions: [] }],
  });
  await show(<FirmwareProjects />, { permissions: MAY, flags: { ot: 1 }, at: '/ota/project' });
  expect(await screen.findByText('North')).toBeDefined();
  expect(screen.getByText('edge-agent 2.0: 3 · edge-agent as delivered: 1')).toBeDefined();
  expect(screen.getByRole('link', { name: 'Plan 12 · north (4)' }).getAttribute('href')).toBe('/ota/firmware?plan=7');
  expect(screen.getByText('Not in a project')).toBeDefined();
});

test('the log asks for what the address says', async () => {
  const asked = answer<ListFirmwareUpgradesData, ListFirmwareUpgradesResponse>('get', '/api/v1/firmware/upgrade', {
    rows: [UPGRADE, { ...UPGRADE, id: 32, plan_id: null, is_back: true, state: 'succeeded', code: '', worse: [] }],
    total: 2,
  });
  await show(<UpgradeLog />, {
    permissions: MAY,
    flags: { ot: 1 },
    at: '/ota/log?search=pump&plan_name=12&state=failed&start=1000&end=2000',
  });
  const [first, second] = await screen.findAllByTestId('firmware-log-row');
  const wanted = ['search', 'plan_name', 'upgrade_state', 'from_ms', 'to_ms'].map((name) => asked[0]?.query.get(name));
  expect(wanted).toEqual(['pump', '12', 'failed', '1000', '2000']);
  expect(within(first!).getByRole('link', { name: 'Plan 12' }).getAttribute('href')).toBe('/ota/firmware?plan=7');
  expect(within(second!).queryByRole('link', { name: 'Plan 12' })).toBeNull(); // it is gone
  expect(second?.textContent).toContain('Back: Succeeded');
});

test('a gateway has its own history', async () => {
  const asked = answer<ListFirmwareUpgradesData, ListFirmwareUpgradesResponse>('get', '/api/v1/firmware/upgrade', {
    rows: [UPGRADE],
    total: 1,
  });
  await show(<UpgradesTab />, { permissions: MAY, flags: { ot: 1 }, at: '/deviceDetail/index?device_id=3' });
  expect(await screen.findAllByTestId('gateway-upgrades-row')).toHaveLength(1);
  expect(asked[0]?.query.get('device_id')).toBe('3');
  expect(screen.getByRole('link', { name: 'Upgrade log of all gateways' })).toBeDefined();
});

test('the log is exported whole, in the words of the screen', async () => {
  const files = offeredFiles();
  const asked = answer<ListFirmwareUpgradesData, ListFirmwareUpgradesResponse>(
    'get',
    '/api/v1/firmware/upgrade',
    ({ query }) => {
      const rows = Array.from({ length: query.get('page') === '1' ? 100 : 1 }, (_, at) => ({ ...UPGRADE, id: at }));
      return { rows: query.get('limit') === '100' ? rows : [UPGRADE], total: 101 };
    },
  );
  const { user } = await show(<UpgradeLog />, { permissions: MAY, flags: { ot: 1 }, at: '/ota/log?state=failed' });
  await screen.findAllByTestId('firmware-log-row');
  await user.click(screen.getByTestId('table-more'));
  await user.click(await screen.findByTestId('table-export'));
  await waitFor(() => expect(files).toHaveLength(1));
  expect(files[0]?.name).toMatch(/^Upgrade log .*\.csv$/);
  const lines = (await files[0]!.content.text()).trim().split('\r\n');
  expect(lines).toHaveLength(102);
  expect(lines[1]).toContain('Pump,Plan 12,Failed,2,50 % 1.0 KB / 2.0 KB,Worse than before');
  expect(lines[1]).toContain(',1.0 (1): Runs the version from before this order again');
  expect(asked.at(-1)?.query.get('upgrade_state')).toBe('failed');
});
