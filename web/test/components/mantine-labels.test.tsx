import { Alert, Drawer, Modal, MultiSelect, Notification, PasswordInput, Select, TagsInput } from '@mantine/core';
import { DateInput, DateTimePicker } from '@mantine/dates';
import { screen, waitFor } from '@testing-library/react';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import 'dayjs/locale/zh-cn';
import type { ReactElement } from 'react';
import { expect, test } from 'vitest';
import { Paging } from '@/components/Paging';
import { show } from './render';

const nothing = (): void => undefined;
const ENGLISH = /[A-Za-z]{2,}/;
const NAMED = ['aria-label', 'placeholder', 'title', 'alt'];

/** Whatever Mantine draws beside what it is given, open. */
const DRAWN: Readonly<Record<string, ReactElement>> = {
  PasswordInput: <PasswordInput aria-label="密码" />,
  Select: <Select aria-label="选择" data={['一']} defaultValue="一" clearable />,
  MultiSelect: <MultiSelect aria-label="多选" data={['一']} defaultValue={['一']} clearable />,
  TagsInput: <TagsInput aria-label="标签" defaultValue={['一']} clearable />,
  Modal: (
    <Modal opened onClose={nothing} title="标题">
      内容
    </Modal>
  ),
  Drawer: (
    <Drawer opened onClose={nothing} title="标题">
      内容
    </Drawer>
  ),
  Notification: <Notification title="标题">内容</Notification>,
  Alert: <Alert withCloseButton title="标题" />,
  DateInput: <DateInput aria-label="日期" defaultValue="2026-11-27" clearable popoverProps={{ opened: true }} />,
  DateTimePicker: (
    <DateTimePicker
      aria-label="时间"
      defaultValue="2026-11-27 10:00:00"
      withSeconds
      popoverProps={{ opened: true, withinPortal: false }}
    />
  ),
  Pagination: <Paging pages={{ page: 2, limit: 20, setPage: nothing, setLimit: nothing }} total={100} />,
};

test.each(Object.entries(DRAWN))('%s has no English name and no button without a name', async (_name, element) => {
  await show(element, { language: 'zh' });
  await waitFor(() => expect(document.querySelector('button, input')).not.toBeNull());
  const said = [...document.body.querySelectorAll('*:not(style)')].flatMap((each) => [
    ...NAMED.flatMap((attribute) => each.getAttribute(attribute) ?? []),
    ...[...each.childNodes].flatMap((node) => (node.nodeType === Node.TEXT_NODE ? (node.nodeValue ?? '') : [])),
  ]);
  expect(said.filter((text) => ENGLISH.test(text))).toEqual([]);
  const nameless = screen
    .queryAllByRole('button', { hidden: true })
    .filter((each) => each.tabIndex >= 0 && each.textContent === '' && !each.hasAttribute('aria-label'));
  expect(nameless.map(({ outerHTML }) => outerHTML)).toEqual([]);
});

const SRC = join(import.meta.dirname, '../../src');
const MANTINE = join(import.meta.dirname, '../../node_modules/@mantine');

function filesOf(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
}

/** Components of Mantine that the portal uses. */
function used(): Set<string> {
  const names = new Set<string>();
  for (const file of filesOf(SRC, '.tsx')) {
    for (const [, list = ''] of readFileSync(file, 'utf8').matchAll(
      /import \{([^}]+)\} from '@mantine\/(?:core|dates)'/g,
    ))
      for (const name of list.split(',')) names.add(name.trim());
  }
  return names;
}

/** Default names in Mantine's own code: an English text for a label, a placeholder or a message. */
const DEFAULT = /(?:"aria-label"|\w*[lL]abel|placeholder|\w*Message)"?: "([A-Z][a-z]+[^"]*)"/;

test('every English default of a component that is used is drawn above', () => {
  const inUse = used();
  expect(inUse.has('PasswordInput')).toBe(true);
  const english = ['core', 'dates'].flatMap((name) => {
    const folder = join(MANTINE, name, 'esm/components');
    return readdirSync(folder).filter(
      (component) =>
        inUse.has(component) &&
        filesOf(join(folder, component), '.mjs').some((file) => DEFAULT.test(readFileSync(file, 'utf8'))),
    );
  });
  expect(english).toContain('PasswordInput');
  expect(english.filter((component) => DRAWN[component] === undefined)).toEqual([]);
});
