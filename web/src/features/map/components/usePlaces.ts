import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { gathered, onOnOff } from '@/lib/live';
import { placesQuery, POSITIONS } from '../api';
import type { PlaceFilter } from '../api';

/** Places of a filter; asked for again when devices come or go. */
export function usePlaces(filter: PlaceFilter) {
  const client = useQueryClient();
  useEffect(() => {
    const again = gathered(() => void client.invalidateQueries({ queryKey: POSITIONS }));
    const leave = onOnOff(again.ask);
    return () => {
      leave();
      again.stop();
    };
  }, [client]);
  return useQuery(placesQuery(filter));
}
