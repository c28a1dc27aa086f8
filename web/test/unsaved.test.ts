import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readTabs, written } from '@/app/savedTabs';
import { losesOnWay } from '@/app/layout/useAskLeave';
import { titlesOf } from '@/app/layout/tabTitles';
import { MAX_TABS, useOpened } from '@/app/opened';
import { listScreens } from '@/lib/screens';
import type { Screen } from '@/lib/screens';
import { unsaved, UnsavedWork } from '@/lib/unsaved';

const screen = (path: string, more: Partial<Screen> = {}): Screen =>
  ({
    path,
    titleKey: `t:${path}`,
    icon: 'lock',
    layout: 'admin',
    permission: 'P',
    load: () => Promise.reject(),
    ...more,
  }) as Screen;
const DETAIL = screen('/d', { tabKeys: ['device_id'] });
const MAY = { userType: 1, permissions: ['P'] };
const key = Symbol('form');

beforeEach(() => {
  useOpened.getState().close(useOpened.getState().tabs.map(({ id }) => id));
  unsaved.drop(key);
});

test('a form behind another page is still known; one that is gone is not', () => {
  const work = new UnsavedWork();
  work.setActive('/a');
  work.note(key, { tab: '/a', persisted: false });
  work.setActive('/b');
  work.ended(key); // React puts the effects of a hidden page to sleep
  expect([work.losesWith('/a'), work.losesWith('/b'), work.isAny(), work.pages()]).toEqual([true, false, true, ['/a']]);
  work.setActive('/a');
  work.settle('/a'); // it came to the front and did not tell itself anew
  expect(work.isAny()).toBe(false);
  work.note(key, { tab: '/a', persisted: false });
  work.ended(key);
  expect(work.isAny()).toBe(false);
});

test('a draft that is held in memory is lost with the portal alone', () => {
  const work = new UnsavedWork();
  work.note(key, { tab: '/a', persisted: true });
  expect([work.losesWith('/a'), work.keepsOf('/a'), work.pages(), work.isAny()]).toEqual([false, true, [], true]);
  work.forget('/a');
  let drafts = 1;
  work.addDrafts(() => drafts > 0);
  expect(work.isAny()).toBe(true);
  drafts = 0;
  expect(work.isAny()).toBe(false);
});

test('nothing is lost while nobody can ask, and nothing asks after the user has agreed', async () => {
  const work = new UnsavedWork();
  work.note(key, { tab: '/a', persisted: false });
  expect(await work.ask(['A'])).toBe(false);
  const end = work.setAsker((titles) => Promise.resolve(titles.length === 1));
  expect([await work.ask(['A']), await work.ask([])]).toEqual([true, false]);
  end();
  work.leave();
  expect(work.isAny()).toBe(false);
});

test('the thirteenth page closes the one unused longest, but none with unsaved work', () => {
  const { show } = useOpened.getState();
  for (let at = 0; at < MAX_TABS; at++) show(screen(`/p${at}`), {});
  unsaved.note(key, { tab: '/p0', persisted: false });
  show(screen('/new'), {});
  const paths = useOpened.getState().tabs.map((tab) => tab.screen.path);
  expect([paths.length, paths.includes('/p0'), paths.includes('/p1'), paths.includes('/new')]).toEqual([
    MAX_TABS,
    true,
    false,
    true,
  ]);
});

test('a reload finds the tabs in their order, of the same user, as far as he may still open them', () => {
  const wall = screen('/wall', { layout: 'fullscreen' });
  const secret = screen('/secret', { permission: 'Q' });
  const [a, b] = [screen('/a'), screen('/b')];
  listScreens([DETAIL, wall, secret, a, b]);
  const { show, setDetail } = useOpened.getState();
  show(DETAIL, { device_id: '7', tab: 'info' });
  setDetail('/d&device_id=7', 'Boiler');
  for (const each of [secret, a, b]) show(each, {});
  const text = written(5, useOpened.getState().tabs);
  useOpened.getState().close(useOpened.getState().tabs.map(({ id }) => id));
  expect(readTabs(text, 6, MAY)).toEqual([]);
  for (const broken of [
    null,
    '',
    '{',
    '[]',
    '{"user":5}',
    '{"user":5,"tabs":[null,{"path":"/a"},{"path":"/gone","search":{}},{"path":"/wall","search":{}}]}',
  ]) {
    expect(readTabs(broken, 5, MAY)).toEqual([]);
  }
  show(a, {}); // the address of the window
  useOpened.getState().restore(readTabs(text, 5, MAY));
  const tabs = useOpened.getState().tabs;
  expect(tabs.map(({ id, detail, visited }) => [id, detail, visited])).toEqual([
    ['/d&device_id=7', 'Boiler', false],
    ['/a', '', true],
    ['/b', '', false],
  ]);
  for (let at = tabs.length; at < MAX_TABS + 1; at++) show(screen(`/p${at}`), {});
  expect(useOpened.getState().tabs.map(({ id }) => id)).not.toContain('/d&device_id=7');
  expect(useOpened.getState().tabs.map(({ id }) => id)).toContain('/a');
});

test('pages that would be called alike tell themselves apart', () => {
  const points = screen('/points', { tabKeys: ['device_id'] });
  const tab = (of: Screen, device_id: string, detail: string) => ({
    id: `${of.path}${device_id}`,
    screen: of,
    search: { device_id },
    detail,
  });
  const titles = (...tabs: ReturnType<typeof tab>[]): string[] =>
    [...titlesOf(tabs, (text) => text.slice(3)).values()].toSorted();
  expect(titles(tab(DETAIL, '1', 'Boiler'), tab(points, '2', 'Mill'))).toEqual(['Boiler', 'Mill']);
  expect(titles(tab(DETAIL, '1', 'Boiler'), tab(points, '1', 'Boiler'))).toEqual(['Boiler · d', 'Boiler · points']);
  expect(titles(tab(DETAIL, '1', 'Boiler'), tab(DETAIL, '2', 'Boiler'))).toEqual([
    'Boiler · d · #1',
    'Boiler · d · #2',
  ]);
  expect(titles(tab(DETAIL, '1', ''), tab(DETAIL, '2', ''))).toEqual(['d · #1', 'd · #2']);
});

test('ways that lose something: another address of the page, and out of the frame of tabs', () => {
  listScreens([DETAIL, screen('/a'), screen('/wall', { layout: 'fullscreen' })]);
  const at = (pathname: string, search = {}) => ({ pathname, search });
  const here = at('/d', { device_id: '1', tab: 'info' });
  unsaved.note(key, { tab: '/d&device_id=1', persisted: false });
  expect(losesOnWay(here, here)).toEqual([]);
  expect(losesOnWay(here, at('/d', { device_id: '1', tab: 'live' }))).toEqual(['/d&device_id=1']);
  expect(losesOnWay(here, at('/d', { device_id: '2' }))).toEqual([]);
  expect(losesOnWay(here, at('/a'))).toEqual([]);
  useOpened.getState().show(DETAIL, { device_id: '1', tab: 'info' });
  useOpened.getState().show(screen('/a'), {});
  expect(losesOnWay(at('/a'), at('/d', { tab: 'info', device_id: '1' }))).toEqual([]);
  expect(losesOnWay(at('/a'), at('/d', { device_id: '1' }))).toEqual(['/d&device_id=1']);
  expect(losesOnWay(at('/a'), at('/d', { device_id: '2' }))).toEqual([]);
  expect(losesOnWay(here, at('/'))).toEqual([]);
  expect(losesOnWay(at('/a'), at('/wall'))).toEqual(['/d&device_id=1']);
});

/** Files that have fields and hold nothing that could be lost, or whose form is another file. */
const WITHOUT: Readonly<Record<string, string>> = {
  'app/layout/DeviceJump.tsx': 'a search',
  'app/layout/palette/Palette.tsx': 'a search',
  'blocks/access/AccessPasswordDialog.tsx': 'asked for by what is being sent',
  'components/SearchBox.tsx': 'a filter',
  'components/form/IntervalInput.tsx': 'a field of the form around it',
  'components/form/NumberField.tsx': 'a field of any form',
  'blocks/import/PreviewStep.tsx': 'a word to confirm',
  'blocks/map/LocationPicker.tsx': 'a field of the form around it',
  'blocks/secret/RenewSecret.tsx': 'a word to confirm',
  'blocks/templates/SlaveField.tsx': 'a field of the form around it',
  'components/useConfirm.tsx': 'a word to confirm',
  'blocks/views/ViewList.tsx': 'a name that is typed in place',
  'features/configuration/components/DifferenceView.tsx': 'a filter',
  'features/configuration/components/SourceText.tsx': 'a filter',
  'features/devices/components/BindForm.tsx': 'a code that is scanned or typed anew',
  'features/devices/components/SlaveCard.tsx': 'fields of the form around them',
  'features/fieldbus/components/SectionInput.tsx': 'a field of the form around it',
  'features/firmware/components/GatewayChooser.tsx': 'a search for the form around it',
  'features/forwarding/components/OptionField.tsx': 'a field of the form around it',
  'features/monitor/components/BatchTable.tsx': 'fields of the batch around them',
  'features/monitor/components/ValueEntry.tsx': 'a field of the command around it',
  'features/parameters/components/EntrySheet.tsx': 'a sheet of the form around it',
  'features/parameters/components/FieldInput.tsx': 'a field of the form around it',
  'features/parameters/components/RowList.tsx': 'a search',
  'features/parameters/components/RunForm.tsx': 'numbers that begin anew each time',
  'features/points/components/PointForm.tsx': 'writes into the sheet around it',
  'features/points/components/ScriptText.tsx': 'a field of the form around it',
  'features/points/components/Trial.tsx': 'sample values, nothing is saved',
  'features/products/screens/ProductList.tsx': 'fields of a ResourcePage',
  'features/projects/components/CampaignDrawer.tsx': 'numbers that begin anew each time',
  'features/remote/components/OpenPort.tsx': 'opens a port, saves nothing',
  'features/session/components/SignInForm.tsx': 'nobody is signed in',
  'features/templates/components/DefaultFields.tsx': 'fields of the edit around them',
  'features/templates/components/LineSheet.tsx': 'a sheet of the edit around it',
  'features/templates/components/PointRows.tsx': 'a sheet of the edit around it',
  'features/templates/components/SaveBar.tsx': 'a note beside the edit around it',
  'features/users/components/NewPassword.tsx': 'a field of the form around it',
};
const FIELDS = /<(TextInput|Textarea|PasswordInput|NumberField|NumberInput|TagsInput|JsonInput|ColorInput|SheetGrid)\b/;
const ANSWERS = /\b(useApiForm|useSectionForm|useUnsavedChanges|ApiForm)\b/;

test('every form and sheet says what would be lost', () => {
  const root = join(import.meta.dirname, '../src');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'));
  const text = (file: string): string => readFileSync(join(root, file), 'utf8');
  const silent = files.filter((file) => FIELDS.test(text(file)) && !ANSWERS.test(text(file)));
  expect(silent.filter((file) => !(file in WITHOUT))).toEqual([]);
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  const own = sources.filter((file) => /import \{[^}]*\} from '@mantine\/form'|'beforeunload'/.test(text(file)));
  expect(own.toSorted()).toEqual(['components/form/useApiForm.ts', 'lib/unsaved.ts']);
  expect(Object.keys(WITHOUT).filter((file) => !silent.includes(file))).toEqual([]);
});
