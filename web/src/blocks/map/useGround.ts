import { useComputedColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { MapBase } from '@/api/generated/types.gen';
import { BUILTIN, serviceGround } from './ground';
import type { Ground } from './ground';
import { mapBaseQuery } from './mapOptions';
import type { MapColors } from './style';

export type GroundOf = (colors: MapColors) => Ground;

const BUILTIN_OF: GroundOf = () => BUILTIN;
const NOTHING: MapBase = {};

async function opened(file: string) {
  const module = await import('./archive');
  return { archive: await module.openArchive(file), archiveGround: module.archiveGround };
}

/**
 * The platform's ground. of: null until it is known. isLost: its file cannot be read; the map is the land then. Each
 * attempt is a new ground, for which the tiles are asked for anew.
 */
export function useGround(attempt: number): { base: MapBase; of: GroundOf | null; isLost: boolean } {
  const { i18n } = useTranslation();
  const isDark = useComputedColorScheme('light') === 'dark';
  const baseQuery = useQuery(mapBaseQuery);
  const base = baseQuery.data ?? NOTHING;
  const file = base.kind === 'pmtiles' ? (base.file ?? '') : '';
  const { data: loaded, isError: isLost } = useQuery({
    queryKey: ['map', 'archive', file, attempt],
    queryFn: () => opened(file),
    enabled: file !== '',
    staleTime: Infinity,
    retry: false,
    meta: { errorInPlace: true },
  });
  const of = useMemo<GroundOf | null>(() => {
    if (baseQuery.isPending) return null;
    if (base.kind === 'xyz') {
      const made = serviceGround(base, isDark);
      return () => made;
    }
    if (file === '' || isLost) return BUILTIN_OF;
    return loaded === undefined
      ? null
      : (colors) => loaded.archiveGround(loaded.archive, base, colors, isDark, i18n.language);
    // A ground that is tried once more is another one.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [baseQuery.isPending, base, file, isLost, loaded, isDark, i18n.language, attempt]);
  return { base, of, isLost };
}
