import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { positionOf, positionText } from '@/components/map/model';
import type { Bounds, MapPosition, Place } from '@/components/map/model';
import { useTab } from '@/lib/tab';

/** Nearer than this a chosen device is looked at. */
const CHOSEN_ZOOM = 11;

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
  const selected = /^[1-9]\d{0,9}$/.test(search.device_id ?? '') ? Number(search.device_id) : null;
  const zoom = useMemo(() => positionOf(search.at)?.zoom ?? 0, [search.at]);
  const onMoved = useCallback(
    (position: MapPosition, seen: Bounds) => {
      setBounds(seen);
      setSearch({ at: positionText(position) });
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
  return { search, setSearch, bounds, goTo, start, selected, onMoved, select, visit };
}
