import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { getOwnPreferences, putOwnPreferences } from '@/api/account';
import { DEFAULT_SIZE, usePreferences } from '@/lib/preferences';
import type { Size } from '@/lib/preferences';
import { useSession } from '@/lib/session';

const KEY = ['user', 'option', 'preferences'];

function useKey(): readonly unknown[] {
  return [...KEY, useSession((state) => state.user?.id ?? '')];
}

/** The size that the user chose, in whatever browser, holds from the first answer of the session on. */
export function useSavedSize(): void {
  const queryKey = useKey();
  const { data } = useQuery({
    queryKey,
    queryFn: getOwnPreferences,
    staleTime: Infinity,
    meta: { errorInPlace: true },
  });
  const setSize = usePreferences((state) => state.setSize);
  useEffect(() => {
    if (data !== undefined) setSize(data.size ?? DEFAULT_SIZE);
  }, [data, setSize]);
}

/** Takes a size at once and keeps it in the cloud; back to the one before when the cloud does not take it. */
export function useChooseSize(): (size: Size) => void {
  const queryKey = useKey();
  const cache = useQueryClient();
  const size = usePreferences((state) => state.size);
  const setSize = usePreferences((state) => state.setSize);
  const { mutate } = useMutation({
    mutationFn: async (wanted: Size) => putOwnPreferences({ ...(await getOwnPreferences()), size: wanted }),
    scope: { id: 'size' },
    onMutate: (wanted) => {
      setSize(wanted);
      return size;
    },
    onSuccess: (saved) => cache.setQueryData(queryKey, saved),
    onError: (_error, _wanted, before) => before !== undefined && setSize(before),
  });
  return mutate;
}
