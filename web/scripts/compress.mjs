// Packs what compresses well beside the file, so that the cloud serves it without work.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const PACKED = new Set(['.js', '.mjs', '.css', '.html', '.svg', '.json']);
const SMALLEST = 1024;
const dist = new URL('../dist/', import.meta.url).pathname;
const pack = promisify(gzip);

const entries = await readdir(dist, { recursive: true, withFileTypes: true });
await Promise.all(
  entries
    .filter((entry) => entry.isFile() && PACKED.has(extname(entry.name)))
    .map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const content = await readFile(path);
      if (content.length >= SMALLEST) await writeFile(`${path}.gz`, await pack(content, { level: 9 }));
    }),
);
