"""A screen is one folder and one line: one that is planted into a copy of the portal works."""

from __future__ import annotations

import filecmp
import os
import shutil
import subprocess
from pathlib import Path

import rules

WEB = rules.ROOT / "web"
ENV = {**os.environ, "PATH": f"{rules.ROOT / '.venv' / 'bin'}:{os.environ['PATH']}"}
LINE = "  'overview',\n"
TIMEOUT_S = 180
"""Of vitest on a busy machine; alone it takes 10 s."""

FOLDER = {
    "screens.ts": """import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/other/planted',
    aliases: ['/planted'],
    titleKey: 'planted:title',
    icon: 'package',
    layout: 'admin',
    section: 'other',
    permission: 'Planted',
    load: () => import('./screens/Planted'),
  },
];
""",
    "screens/Planted.tsx": """import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

export default function Planted(): ReactElement {
  return <h1>{useTranslation().t('planted:body')}</h1>;
}
""",
    "locales/zh.json": '{ "title": "种下的页面", "body": "它在这里" }\n',
    "locales/en.json": '{ "title": "Planted screen", "body": "Here it is" }\n',
}

TEST = """import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterContextProvider } from '@tanstack/react-router';
import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import Palette from '@/app/layout/palette/Palette';
import { Sidebar } from '@/app/layout/Sidebar';
import { TabHost } from '@/app/layout/TabHost';
import { queryClient } from '@/app/queryClient';
import { router } from '@/app/router';
import { loadTexts } from '@/app/texts';
import { startTexts, switchLanguage } from '@/i18n';
import { PLAIN_PLATFORM, session } from '@/lib/session';
import { network } from './network';

beforeEach(async () => {
  network.use(
    http.get('*/api/v1/search', () => HttpResponse.json({ code: 0, msg: '', data: { kinds: [] } })),
  );
  window.scrollTo = () => undefined;
  await startTexts(loadTexts);
});

/** Through the guard, as a link or a typed address goes. */
async function open(address: string, permissions: string[]): Promise<string> {
  session.setState({
    tokens: { token: 'token', refreshToken: 'again', expiresAtMs: Date.now() + 3_600_000 },
    user: { id: 1, name: 'tester', nickName: 'Tester', type: 4, bigscreenTitle: '' },
    permissions,
    platform: PLAIN_PLATFORM,
  });
  await router.navigate({ to: address } as never);
  return router.state.location.pathname;
}

function portal(): void {
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={queryClient}>
        <RouterContextProvider router={router}>
          <Sidebar rail={false} />
          <TabHost />
          <Palette onClose={() => undefined} />
        </RouterContextProvider>
      </QueryClientProvider>
    </MantineProvider>,
  );
}

test.each([
  ['zh', '种下的页面', '它在这里'],
  ['en', 'Planted screen', 'Here it is'],
] as const)('route, menu, palette and title (%s)', async (language, title, body) => {
  await switchLanguage(language);
  expect(await open('/other/planted', ['Planted'])).toBe('/other/planted');
  portal();
  await screen.findByRole('heading', { name: body });
  await waitFor(() => expect(document.title).toContain(title));
  expect(screen.getByRole('link', { name: title }).getAttribute('href')).toBe('/other/planted');
  await userEvent.type(await screen.findByTestId('palette-input'), title.slice(0, 4));
  const found = await screen.findByTestId('palette-screens');
  expect(within(found).getByRole('option', { name: new RegExp(title) })).toBeTruthy();
});

test('its other address is the same page', async () => {
  expect(await open('/planted', ['Planted'])).toBe('/planted');
});

test('without its permission there is neither entry nor page', async () => {
  expect(await open('/other/planted', ['Product'])).toBe('/401');
  portal();
  await screen.findByRole('link', { name: /Products|产品/ });
  expect(screen.queryByRole('link', { name: /Planted|种下/ })).toBeNull();
});
"""


def plant(portal: Path) -> None:
    """A copy of the portal with one folder and one line more, and the component tests' surroundings."""
    shutil.copytree(WEB / "src", portal / "src")
    for name in ("package.json", "tsconfig.json", "vite.config.ts", "scripts/chunks.ts"):
        (portal / name).parent.mkdir(exist_ok=True)
        shutil.copy(WEB / name, portal / name)
    (portal / "node_modules").symlink_to(WEB / "node_modules")
    tests = portal / "test" / "components"
    tests.mkdir(parents=True)
    for name in ("setup.ts", "network.ts"):
        shutil.copy(WEB / "test" / "components" / name, tests)
    (tests / "planted.test.tsx").write_text(TEST)
    for name, text in FOLDER.items():
        path = portal / "src" / "features" / "planted" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    listed = portal / "src" / "app" / "features.ts"
    text = listed.read_text()
    assert text.count(LINE) == 1
    listed.write_text(text.replace(LINE, f"{LINE}  'planted',\n"))


def changed(compared: filecmp.dircmp[str]) -> list[str]:
    """Files and folders that differ, or are on one side only."""
    found = compared.diff_files + compared.left_only + compared.right_only
    return found + [name for below in compared.subdirs.values() for name in changed(below)]


def vitest(portal: Path) -> subprocess.CompletedProcess[str]:
    words = ["node", "node_modules/vitest/vitest.mjs", "run", "--project", "components"]
    return subprocess.run(
        words, cwd=portal, env=ENV, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )


def test_a_planted_screen_works(tmp_path: Path) -> None:
    plant(tmp_path)
    assert sorted(changed(filecmp.dircmp(WEB / "src", tmp_path / "src"))) == ["features.ts", "planted"]
    done = vitest(tmp_path)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
