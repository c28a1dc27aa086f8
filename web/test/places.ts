import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { screens } from '@/app/manifest';

/** Where an item of the specification is tested, or what it will come with. */
export type Place = { file: string; name: string } | { path: string };

/** A test: its file and its name. */
export const by = (file: string, name: string): Place => ({ file, name });
/** Comes with this screen, which is announced only. */
export const withScreen = (path: string): Place => ({ path });

const ROOT = new URL('../../', import.meta.url);

/** The test is there; what an item comes with is not, else the item wants a test now. */
export function expectPlace(place: Place): void {
  if ('path' in place) {
    expect(
      screens.find(({ path }) => path === place.path)?.pending,
      `${place.path} is built: test what comes with it`,
    ).toBe(true);
  } else {
    const file = new URL(place.file, ROOT);
    expect(existsSync(fileURLToPath(file)), `${place.file} is there`).toBe(true);
    const text = readFileSync(file, 'utf8');
    if (place.file.endsWith('.py')) {
      expect(text, place.file).toMatch(new RegExp(`^(async )?def ${place.name}\\(`, 'm'));
    } else {
      expect(text, place.file).toContain(`('${place.name}'`);
      for (const left of ['skip', 'todo', 'fails']) expect(text, place.file).not.toContain(`.${left}('${place.name}'`);
    }
  }
}
