import { memo, useLayoutEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { MonitorPoints } from '@/api/generated/types.gen';
import { LivePart } from '@/blocks/live/useBoard';
import { useRowWindow } from '@/components/table/useRowWindow';
import type { MonitorPoint } from '../monitorList';
import list from '../monitorList.module.css';
import { DeviceLink, Value } from './MonitorTable';

const TILE_PX = 190;
const TILE_HEIGHT_PX = 86;

/** Points as tiles, as many beside each other as there is room for; only lines in view are in the page. */
export function MonitorTiles({ data }: { data: MonitorPoints }): ReactElement {
  const { t } = useTranslation();
  const frame = useRef<HTMLDivElement>(null);
  const [across, setAcross] = useState(1);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setAcross(Math.max(1, Math.floor(element.clientWidth / TILE_PX))));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const { points } = data;
  const lines = Math.ceil(points.length / across);
  const view = useRowWindow(lines, TILE_HEIGHT_PX, frame, lines);
  const titles = new Map(data.devices.map(({ id, device_title }) => [id, device_title]));
  return (
    <div
      ref={frame}
      className={list.tiles}
      role="group"
      tabIndex={0}
      aria-label={t('monitor:points.title')}
      data-testid="monitor-tiles"
    >
      {view.indexes.map((line, place) => (
        <div
          key={line}
          className={list.tileLine}
          style={{ marginTop: view.gapBefore(place), gridTemplateColumns: `repeat(${across}, minmax(0, 1fr))` }}
        >
          {points.slice(line * across, (line + 1) * across).map((point) => (
            <Tile key={point.dsid} point={point} device={titles.get(point.device_id) ?? ''} />
          ))}
        </div>
      ))}
      <div style={{ height: view.gapAfter }} />
    </div>
  );
}

const Tile = memo(function Tile({ point, device }: { point: MonitorPoint; device: string }): ReactElement {
  return (
    <article className={list.tile} data-testid="monitor-tile" data-dsid={point.dsid}>
      <span className={list.tileTitle} title={point.ds_name}>
        {point.ds_title}
      </span>
      <Value point={point} />
      <span className={list.tileFoot}>
        <LivePart dsid={point.dsid} part="trust" />
        <DeviceLink id={point.device_id} title={device} />
      </span>
    </article>
  );
});
