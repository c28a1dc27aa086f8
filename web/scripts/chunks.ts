// Which modules a browser needs together: for its start, at the sign-in, in the shell. Each such set becomes one
// file; without it every set of screens that share a module has a file of its own, 80 before the first screen.
import { build } from 'vite';
import type { Rolldown, UserConfig } from 'vite';

const LOGIN = 'src/features/session/screens/Login.tsx';
const SHELL = 'src/app/layout/AdminLayout.tsx';

/** Groups of output.codeSplitting. Only a build knows what is left of a library, so there is one more. */
export async function chunkGroups(config: UserConfig): Promise<Rolldown.CodeSplittingGroup[]> {
  const made = await build({
    ...config,
    configFile: false,
    logLevel: 'silent',
    build: { ...config.build, write: false, minify: false },
  });
  const { output } = made as Rolldown.RolldownOutput;
  const chunks = output.filter((one) => one.type === 'chunk');

  function needed(chunk: Rolldown.OutputChunk, modules = new Set<string>(), seen = new Set<string>()): Set<string> {
    if (seen.has(chunk.fileName)) return modules;
    seen.add(chunk.fileName);
    for (const id of chunk.moduleIds) modules.add(id);
    for (const other of chunks) if (chunk.imports.includes(other.fileName)) needed(other, modules, seen);
    return modules;
  }
  function of(what: string, is: (chunk: Rolldown.OutputChunk) => boolean): Set<string> {
    const chunk = chunks.find(is);
    if (chunk === undefined) throw new Error(`chunks: no chunk of ${what}`);
    const modules = needed(chunk);
    modules.delete(chunk.facadeModuleId ?? ''); // keeps its own file, by which the manifest knows it
    return modules;
  }

  const start = of('the start', (chunk) => chunk.isEntry);
  const login = of(LOGIN, (chunk) => chunk.facadeModuleId?.endsWith(LOGIN) === true);
  const shell = of(SHELL, (chunk) => chunk.facadeModuleId?.endsWith(SHELL) === true);
  return [
    { name: 'start', test: (id) => start.has(id) },
    { name: 'base', test: (id) => login.has(id) && shell.has(id) },
    { name: 'shell', test: (id) => shell.has(id) },
  ];
}
