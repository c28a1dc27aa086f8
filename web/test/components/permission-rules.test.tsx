import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type {
  ChangeRuleData,
  ChangeRuleResponse,
  ListRulesData,
  ListRulesResponse,
  RuleRow,
} from '@/api/generated/types.gen';
import RuleTree from '@/features/users/screens/RuleTree';
import { answer, refuse } from './network';
import { field, node, nodes, permission, query } from './permission-fixtures';
import { show } from './render';
import type { Rendered } from './render';

const RULES = '/api/v1/auth/rule';
const ONE_RULE = '/api/v1/auth/rule/{code}';

function rule(code: string, parent = '', changes: Partial<RuleRow> = {}): RuleRow {
  const made = permission(code, parent);
  return { ...made, default_zh: made.zh, default_en: made.en, default_types: made.types, ...changes };
}

const RULE_ROWS = [
  rule('Device'),
  rule('Device/cmd', 'Device', { enabled: false, kind: 'action' }),
  rule('auth.Rule', '', { en: 'The law' }),
  rule('Wall', '', { announced: true }),
];

async function rules(surroundings: Parameters<typeof show>[1] = {}): Promise<Rendered> {
  answer<ListRulesData, ListRulesResponse>('get', RULES, { rows: RULE_ROWS });
  const page = await show(<RuleTree />, { userType: 0, ...surroundings });
  await screen.findByTestId('rule-form');
  return page;
}

const heading = (): string => screen.getByTestId('rule-form').querySelector('h2')?.textContent ?? '';

test('the tree is open, marks what is off or changed, and leaves out what is only announced', async () => {
  await rules();
  expect(nodes()).toEqual(['Device', 'Device/cmd', 'auth.Rule']);
  expect(within(node('Device/cmd')).getByTestId('rule-off').textContent).toBe('disabled');
  expect(node('auth.Rule').textContent).toContain('changed');
  expect(node('Device').textContent).not.toMatch(/changed|disabled/);
});

test.each([
  ['en', 'The Device'],
  ['zh', '中 Device'],
] as const)('permissions have their names in the language of the portal (%s)', async (language, name) => {
  await rules({ language });
  expect(node('Device').textContent).toContain(name);
});

test('the chosen permission stands in the address, and an unknown one leads to the first', async () => {
  const { user, unmount } = await rules({ at: '/?code=Nobody' });
  expect(heading()).toBe('Permission Device');
  await user.click(within(node('Device/cmd')).getByText('Device/cmd'));
  await waitFor(() => expect(heading()).toBe('Permission Device/cmd'));
  expect(query()).toEqual({ code: 'Device/cmd' });
  unmount();
  await rules({ at: '/?code=auth.Rule' });
  expect(heading()).toBe('Permission auth.Rule');
});

test('what differs from the default goes to the cloud, what does not goes as null', async () => {
  const changed = answer<ChangeRuleData, ChangeRuleResponse>(
    'put',
    ONE_RULE,
    rule('Device', '', { en: 'Machines', types: [1, 2] }),
  );
  const { user } = await rules();
  expect(field('rule-save').disabled).toBe(true);
  expect(field('rule-default').disabled).toBe(true);
  await user.clear(field('rule-en'));
  await user.type(field('rule-en'), ' Machines ');
  await user.click(field('rule-type-3'));
  await user.click(field('rule-save'));
  await waitFor(() => expect(changed).toHaveLength(1));
  expect(changed[0]?.body).toEqual({ zh: null, en: 'Machines', types: [1, 2], enabled: true });
  await waitFor(() => expect(node('Device').textContent).toContain('Machines'));
  expect(node('Device').textContent).toContain('changed');
  await waitFor(() => expect(field('rule-save').disabled).toBe(true));
});

test('a name may not be empty', async () => {
  const changed = answer<ChangeRuleData, ChangeRuleResponse>('put', ONE_RULE, RULE_ROWS[0] as RuleRow);
  const { user } = await rules();
  fireEvent.change(field('rule-zh'), { target: { value: '  ' } });
  await user.click(field('rule-save'));
  await waitFor(() => expect(field('rule-zh').getAttribute('aria-invalid')).toBe('true'));
  expect(changed).toEqual([]);
});

test('the defaults are put back in the form, and count once they are saved', async () => {
  const changed = answer<ChangeRuleData, ChangeRuleResponse>('put', ONE_RULE, rule('Device/cmd', 'Device'));
  const { user } = await rules({ at: '/?code=Device/cmd' });
  expect(field('rule-enabled').checked).toBe(false);
  await user.click(field('rule-default'));
  expect(field('rule-enabled').checked).toBe(true);
  expect(changed).toEqual([]);
  await user.click(field('rule-save'));
  await waitFor(() => expect(changed[0]?.body).toEqual({ zh: null, en: null, types: null, enabled: true }));
  await waitFor(() => expect(within(node('Device/cmd')).queryByTestId('rule-off')).toBeNull());
});

test('the permission that restores all others is neither disabled nor reassigned', async () => {
  await rules({ at: '/?code=auth.Rule' });
  expect(field('rule-enabled').disabled).toBe(true);
  expect([0, 1, 2].map((type) => field(`rule-type-${type}`).disabled)).toEqual([true, true, true]);
  expect(field('rule-en').disabled).toBe(false);
  expect(screen.getByTestId('rule-form').textContent).toContain('otherwise nobody could restore it');
});

test('a rule that is refused says why and keeps what was entered', async () => {
  refuse<ChangeRuleData>('put', ONE_RULE, { status: 409, code: 20_000, data: { message: 'somebody was first' } });
  const { user } = await rules();
  await user.click(field('rule-enabled'));
  await user.click(field('rule-save'));
  await waitFor(() =>
    expect(within(screen.getByTestId('rule-form')).getByRole('alert').textContent).toContain('somebody was first'),
  );
  expect(field('rule-enabled').checked).toBe(false);
  expect(within(node('Device')).queryByTestId('rule-off')).toBeNull();
});

test('rules that cannot be read are asked for again', async () => {
  refuse<ListRulesData>('get', RULES, { status: 500, code: 20_000, data: { message: 'disk full' } });
  const { user } = await show(<RuleTree />, { userType: 0 });
  const trouble = await screen.findByTestId('error-state');
  expect(trouble.textContent).toContain('disk full');
  answer<ListRulesData, ListRulesResponse>('get', RULES, { rows: RULE_ROWS });
  await user.click(within(trouble).getByRole('button'));
  expect(await screen.findByTestId('rule-form')).toBeTruthy();
  expect(screen.queryByTestId('error-state')).toBeNull();
});

test('a search in the tree leaves what matches, by name or code', async () => {
  const { user } = await rules();
  await user.type(field('tree-search'), 'LAW');
  await waitFor(() => expect(nodes()).toEqual(['auth.Rule']));
  await user.clear(field('tree-search'));
  await user.type(field('tree-search'), 'zzz');
  await waitFor(() => expect(nodes()).toEqual([]));
  expect(screen.getByTestId('rule-tree').textContent).toContain('Nothing matches');
});
