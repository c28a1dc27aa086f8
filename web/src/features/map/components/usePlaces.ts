import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { gathered, onOnOff, onPlace, onResume } from '@/lib/live';
import { placesQuery, POSITIONS } from '../api';
import type { PlaceFilter } from '../api';

/** Places of a filter; asked for again when devices come, go or get a place. */
export function usePlaces(filter: PlaceFilter) {
  const client = useQueryClient();
  useEffect(() => {
    const again = gathered(() => void client.invalidateQueries({ queryKey: POSITIONS }));
    const leave = [onOnOff(again.ask), onPlace(again.ask), onResume(again.ask)];
    return () => {
      for (const each of leave) each();
      again.stop();
    };
  }, [client]);
  return useQuery(placesQuery(filter));
}
