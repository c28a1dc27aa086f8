import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { positionOf, positionText } from '@/components/map/model';
import type { Bounds, MapPosition, Place } from '@/components/map/model';
import { useTab } from '@/lib/tab';

/** Nearer than this a chosen device is looked at. */
const CHOSEN_ZOOM = 11;

/** Own positions on their way to the address. */
const MOST_WRITTEN = 20;

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
  // A position in the address that the map has not written itself is a link that was followed while the page was open.
  const [written, setWritten] = useState<readonly (string | undefined)[]>([search.at]);
  const [known, setKnown] = useState(search.at);
  if (search.at !== known) {
    setKnown(search.at);
    const linked = written.includes(search.at) ? null : positionOf(search.at);
    if (linked !== null) setGoTo(linked);
    // The last one has arrived: nothing is on its way any more.
    if (search.at === written.at(-1)) setWritten([search.at]);
    else if (linked !== null) setWritten([...written, search.at]);
  }
  const selected = /^[1-9]\d{0,9}$/.test(search.device_id ?? '') ? Number(search.device_id) : null;
  const zoom = useMemo(() => positionOf(search.at)?.zoom ?? 0, [search.at]);
  const onMoved = useCallback(
    (position: MapPosition, seen: Bounds) => {
      setBounds(seen);
      const at = positionText(position);
      setWritten((before) => [...before, at].slice(-MOST_WRITTEN));
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
  return { search, setSearch, bounds, goTo, start, selected, onMoved, select, visit };
}
