import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { fitted, positionOf, positionText } from '@/blocks/map/model';
import type { Bounds, MapPosition, Place } from '@/blocks/map/model';
import { useTab } from '@/lib/tab';
import { arrived, followed, idOf, wrote } from '../mapTab';

/** Nearer than this a chosen device is looked at. */
const CHOSEN_ZOOM = 11;
/** What is fitted into it is also seen whole on the smallest desktop. */
const FITTED_PX = { wide: 640, high: 400 };

/** What of a map stands in its page's address: the part in view and the chosen device. */
export function useMapTab() {
  const { search, setSearch: setTab } = useTab();
  // The address follows a moment later: what is on its way to it must not be lost by the next change.
  const underWay = useRef<Record<string, string | number | undefined>>({});
  useEffect(() => {
    underWay.current = {};
  }, [search]);
  const setSearch = useCallback(
    (change: Record<string, string | number | undefined>) => {
      underWay.current = { ...underWay.current, ...change };
      setTab(underWay.current);
    },
    [setTab],
  );
  const [bounds, setBounds] = useState<Bounds | null>(null);
  const [goTo, setGoTo] = useState<MapPosition | null>(null);
  // Only where the map begins; afterwards it leads.
  const [start] = useState(() => positionOf(search.at));
  const [address, setAddress] = useState(() => followed(search.at));
  const came = arrived(address, search.at);
  if (came !== null) {
    setAddress(came.next);
    if (came.goTo !== null) setGoTo(came.goTo);
  }
  const selected = idOf(search.device_id);
  const zoom = useMemo(() => positionOf(search.at)?.zoom ?? 0, [search.at]);
  const onMoved = useCallback(
    (position: MapPosition, seen: Bounds) => {
      setBounds(seen);
      const at = positionText(position);
      setAddress((before) => wrote(before, at));
      setSearch({ at });
    },
    [setSearch],
  );
  const select = useCallback((id: number | null) => setSearch({ device_id: id ?? undefined }), [setSearch]);
  const visit = useCallback(
    (place: Place) => {
      select(place.id);
      setGoTo({ longitude: place.longitude, latitude: place.latitude, zoom: Math.max(zoom, CHOSEN_ZOOM) });
    },
    [select, zoom],
  );
  const fit = useCallback((places: readonly Place[]) => setGoTo(fitted(places, FITTED_PX.wide, FITTED_PX.high)), []);
  return { search, setSearch, fit, bounds, goTo, start, selected, onMoved, select, visit };
}
