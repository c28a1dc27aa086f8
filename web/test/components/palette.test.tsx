import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { SearchEverythingData, SearchEverythingResponse } from '@/api/generated/types.gen';
import Palette from '@/app/layout/palette/Palette';
import type { Language } from '@/lib/preferences';
import { MAY } from './firmware-fixtures';
import { answer } from './network';
import { show } from './render';

async function found(typed: string, language: Language, flags = { ot: 1 }, permissions: readonly string[] = MAY) {
  answer<SearchEverythingData, SearchEverythingResponse>('get', '/api/v1/search', {
    devices: [],
    slaves: [],
    points: [],
    projects: [],
    users: [],
    more: [],
  });
  Element.prototype.checkVisibility ??= () => true;
  const { user, unmount } = await show(<Palette onClose={() => undefined} />, { permissions, flags, language });
  await user.click(await screen.findByTestId('palette-input'));
  await user.paste(typed);
  await waitFor(() => expect(screen.queryByRole('progressbar')).toBeNull());
  const titles = screen.queryAllByRole('option').map(({ textContent }) => textContent ?? '');
  unmount();
  return titles;
}

test.each<[string, Language, string]>([
  ['firmware', 'en', 'Firmware upgrade'],
  ['ota', 'en', 'Firmware upgrade'],
  ['固件', 'zh', '固件升级'],
  ['firmware', 'zh', '固件升级'],
  ['ota', 'zh', '固件升级'],
  ['signing', 'en', 'Signing keys'],
  ['密钥', 'zh', '签名密钥'],
  ['固件文件', 'zh', '固件文件'],
  ['方案', 'zh', '升级方案'],
  ['sim', 'zh', 'SIM'],
  ['日志', 'zh', '升级日志'],
])('%s finds in %s the screen %s, for who may see it alone', async (typed, language, title) => {
  const may = [...MAY, 'ota.Sim', 'ota.Device'];
  expect(
    (await found(typed, language, { ot: 1 }, may)).some((each) => each.includes(title)),
    'seen',
  ).toBe(true);
  expect(
    (await found(typed, language, { ot: 0 }, may)).some((each) => each.includes(title)),
    'off',
  ).toBe(false);
  expect(
    (await found(typed, language, { ot: 1 }, [])).some((each) => each.includes(title)),
    'not his',
  ).toBe(false);
});
