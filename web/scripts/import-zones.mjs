// Who may import whom in src/: a feature knows no other feature and not the app; a component knows no domain and of the
// cloud only its errors; only src/charts imports uPlot. Cycles are found by oxlint (import/no-cycle).
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const IMPORT =
  /(?:^|[\s;])(?:import|export)\s(?:[^'"]*?\sfrom\s)?\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g;
const OUTSIDE_OWNER = { uplot: 'charts' };
/** Folders of src, or single modules of them. */
const MAY = {
  lib: ['lib'],
  i18n: ['i18n', 'lib'],
  api: ['api', 'lib'],
  charts: ['charts', 'lib'],
  diagram: ['diagram', 'components', 'charts', 'lib', 'i18n'],
  components: ['components', 'charts', 'api/errors', 'lib', 'i18n'],
  blocks: ['blocks', 'components', 'charts', 'diagram', 'api', 'lib', 'i18n'],
  features: ['features', 'blocks', 'components', 'charts', 'diagram', 'api', 'lib', 'i18n'],
  app: ['app', 'features', 'blocks', 'components', 'charts', 'diagram', 'api', 'lib', 'i18n'],
};

const isIn = (path, folder) => path === folder || path.startsWith(`${folder}/`);
const layer = (path) => path.split('/')[0];
const feature = (path) => (layer(path) === 'features' ? path.split('/')[1] : null);

/** What is wrong with one import; null when nothing is. Paths are relative to src. */
export function violation(from, target) {
  if (!target.startsWith('.') && !target.startsWith('@/')) {
    const owner = OUTSIDE_OWNER[target.split('/')[0]];
    return owner !== undefined && layer(from) !== owner ? `${target} is imported by src/${owner} only` : null;
  }
  const to = target.startsWith('@/') ? target.slice(2) : join(dirname(from), target);
  if (!(MAY[layer(from)] ?? []).some((allowed) => isIn(to, allowed))) return `${layer(from)} may not import ${to}`;
  const [own, other] = [feature(from), feature(to)];
  return own !== null && other !== null && own !== other ? `feature ${own} may not import feature ${other}` : null;
}

export function imports(text) {
  return [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2]);
}

async function main() {
  const src = resolve(process.argv[2] ?? fileURLToPath(new URL('../src/', import.meta.url)));
  const entries = await readdir(src, { recursive: true, withFileTypes: true });
  let wrong = 0;
  for (const entry of entries) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
    const path = resolve(entry.parentPath, entry.name);
    const from = relative(src, path);
    for (const target of imports(await readFile(path, 'utf8'))) {
      const why = violation(from, target);
      if (why === null) continue;
      wrong += 1;
      console.error(`src/${from}: ${target}: ${why}`);
    }
  }
  if (wrong > 0) process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
