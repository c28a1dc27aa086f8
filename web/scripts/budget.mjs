// What a browser loads before sign-in, and after it, against the budget (kB, packed).
import { readFile, stat } from 'node:fs/promises';

const BUDGET_KB = { login: 220, shell: 300, css: 45, screen: 60, map: 330, land: 170 };
const dist = new URL('../dist/', import.meta.url);
const manifest = JSON.parse(await readFile(new URL('manifest.json', dist), 'utf8'));

/** Every file that a chunk pulls in statically, itself included. */
function closure(key, files = new Set()) {
  const chunk = manifest[key];
  if (chunk === undefined) throw new Error(`budget: no chunk ${key}`);
  if (files.has(chunk.file)) return files;
  files.add(chunk.file);
  for (const css of chunk.css ?? []) files.add(css);
  for (const other of chunk.imports ?? []) closure(other, files);
  return files;
}

async function kilobytes(files, end) {
  let bytes = 0;
  for (const file of files) {
    if (!file.endsWith(end)) continue;
    const packed = await stat(new URL(`${file}.gz`, dist)).catch(() => stat(new URL(file, dist)));
    bytes += packed.size;
  }
  return bytes / 1000;
}

const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
const login = closure('src/features/session/screens/Login.tsx', closure(entry));
const shell = closure('src/app/layout/AdminLayout.tsx', closure(entry));
const found = {
  login: await kilobytes(login, '.js'),
  shell: await kilobytes(shell, '.js'),
  css: await kilobytes(shell, '.css'),
};
const lines = Object.entries(found).map(([name, size]) => [name, size, BUDGET_KB[name]]);
for (const key of Object.keys(manifest)) {
  if (!/^src\/features\/.*\/screens\/.*\.tsx$/.test(key) || key.endsWith('Login.tsx')) continue;
  const own = [...closure(key)].filter((file) => !shell.has(file));
  lines.push([key.replace(/^src\/features\//, ''), await kilobytes(own, '.js'), BUDGET_KB.screen]);
}
const MAP = 'src/blocks/map/GlMap.tsx';
lines.push([
  'map',
  await kilobytes(
    [...closure(MAP)].filter((file) => !shell.has(file)),
    '.js',
  ),
  BUDGET_KB.map,
]);
lines.push([
  'land',
  await kilobytes([manifest['node_modules/world-atlas/land-50m.json'].file], '.json'),
  BUDGET_KB.land,
]);
const over = lines.filter(([, size, most]) => size > most);
for (const [name, size, most] of lines)
  console.log(`${size > most ? 'OVER' : 'ok  '} ${size.toFixed(1).padStart(7)} kB of ${most}  ${name}`);
if (over.length > 0) process.exit(1);
