import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { STATUS_WORD } from '@/blocks/map/model';
import type { Place } from '@/blocks/map/model';
import { StatusBadge } from '@/components/StatusBadge';
import classes from '../map.module.css';

const ROW_PX = 40;

interface Props {
  places: readonly Place[];
  selected: number | null;
  onSelect: (place: Place) => void;
}

/** What the map shows, for who reads or uses keys. Only rows in view are drawn. */
export function PlaceList({ places, selected, onSelect }: Props): ReactElement {
  const { t } = useTranslation();
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: places.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
  });
  const at = places.findIndex(({ id }) => id === selected);
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at);
    // A choice scrolls, a list that was filled anew does not.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [selected]);
  return (
    <div
      ref={frame}
      className={classes.list}
      role="region"
      aria-label={t('map:list.label')}
      tabIndex={0}
      data-testid="place-list"
    >
      <ul style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const place = places[item.index];
          if (place === undefined) return null;
          return (
            <li
              key={place.id}
              style={{ transform: `translateY(${item.start}px)` }}
              aria-setsize={places.length}
              aria-posinset={item.index + 1}
            >
              <button
                type="button"
                aria-pressed={place.id === selected}
                onClick={() => onSelect(place)}
                data-testid="place-row"
              >
                <span>{place.title}</span>
                <StatusBadge kind="device" code={STATUS_WORD[place.status]} />
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
