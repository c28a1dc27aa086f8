import type { DataSource } from './api';

type Named = Pick<DataSource, 'ds_name' | 'ds_title' | 'slave' | 'slave_title'>;

/** Points of which a name or title, their own or their slave's, holds every word. */
export function filtered<T extends Named>(sources: readonly T[], text: string): readonly T[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return sources;
  return sources.filter(({ ds_name, ds_title, slave, slave_title }) => {
    const said = `${ds_title} ${ds_name} ${slave_title} ${slave}`.toLowerCase();
    return words.every((word) => said.includes(word));
  });
}
