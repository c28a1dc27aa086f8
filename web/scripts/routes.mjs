// Prints the manifest as JSON: addresses, gates and titles of every screen, for tests and checks outside of the portal.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const vite = await createServer({
  root,
  appType: 'custom',
  logLevel: 'error',
  server: { middlewareMode: true, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true },
});
try {
  const { screens } = await vite.ssrLoadModule('/src/app/manifest.ts');
  const titles = { zh: new Map(), en: new Map() };
  const title = async (language, key) => {
    const [space, path] = key.split(':');
    const known = titles[language];
    if (!known.has(space)) {
      const file = space === 'base' ? 'src/i18n' : `src/features/${space}`;
      known.set(space, JSON.parse(await readFile(`${root}/${file}/locales/${language}.json`, 'utf8')));
    }
    return path.split('.').reduce((texts, part) => texts?.[part], known.get(space)) ?? null;
  };
  const rows = [];
  for (const screen of screens) {
    const {
      path,
      aliases = [],
      layout,
      permission,
      userTypes,
      cloudFlag,
      section,
      hidden,
      external,
      pending,
      titleKey,
    } = screen;
    const permissions =
      typeof permission === 'function'
        ? (permission.codes ?? null)
        : permission === null || permission === undefined
          ? []
          : [permission];
    rows.push({
      path,
      aliases,
      layout,
      permissions,
      userTypes,
      cloudFlag,
      section,
      hidden,
      external,
      pending,
      title: { zh: await title('zh', titleKey), en: await title('en', titleKey) },
    });
  }
  console.log(JSON.stringify(rows));
} finally {
  await vite.close();
}
