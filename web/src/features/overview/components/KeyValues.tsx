import { useCallback, useLayoutEffect, useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { labelOf } from '@/blocks/history/remembered';
import { BoardContext, LivePart, useBoard } from '@/blocks/live/useBoard';
import { useSwitchWords } from '@/blocks/live/useWords';
import { ScreenLink } from '@/components/ScreenLink';
import { PointStar } from '@/blocks/devices/Star';
import { noteHeard, onDevice } from '@/lib/live';
import { formatValue } from '@/lib/numbers';
import { countsAsOnline } from '@/lib/quality';
import type { KnownLink } from '@/lib/quality';
import type { KeyValues as Values, MonitorPoint, Trend } from '../api';
import classes from '../overview.module.css';
import { drawn } from '../spark';
import { Panel } from './Panel';

const WIDTH = 120;
const HEIGHT = 28;
const HOUR_MS = 3_600_000;

/** Which gateways are connected or asleep: as answered, then as pushed. */
function useOnline(devices: Values['devices']): (id: number) => boolean {
  const [pushed, setPushed] = useState<{ of: Values['devices']; states: ReadonlyMap<number, boolean> }>({
    of: devices,
    states: new Map(),
  });
  useEffect(
    () =>
      onDevice(({ did, link }) => {
        const told = link as KnownLink | undefined;
        if (typeof told?.online === 'boolean')
          setPushed((known) => ({
            of: devices,
            states: new Map(known.of === devices ? known.states : []).set(did, countsAsOnline(told)),
          }));
      }),
    [devices],
  );
  useEffect(() => {
    for (const { id, last_ms } of devices) noteHeard(id, last_ms ?? 0);
  }, [devices]);
  const onlineById = useMemo(() => new Map(devices.map(({ id, online }) => [id, online])), [devices]);
  return useCallback(
    (id) => (pushed.of === devices ? pushed.states.get(id) : undefined) ?? onlineById.get(id) ?? false,
    [pushed, devices, onlineById],
  );
}

/** Points at a glance, live, each with its last hour. */
export function KeyValues({ values }: { values: Values }): ReactElement {
  const { t } = useTranslation();
  const words = useSwitchWords();
  const reports = useMemo(
    () => new Map(values.devices.map(({ id, report_interval_s }) => [id, report_interval_s * 1000])),
    [values.devices],
  );
  const board = useBoard(
    useOnline(values.devices),
    useCallback((id) => reports.get(id) ?? 0, [reports]),
  );
  useLayoutEffect(() => {
    const points = values.points.map((point) => ({
      ...point,
      format: (value: Parameters<typeof formatValue>[0]) => formatValue(value, point, words),
    }));
    board.set(
      points,
      values.last.map(({ value, changed_ms = null, ...last }) => ({ ...last, value: value ?? null, changed_ms })),
    );
  }, [board, values, words]);
  const titles = new Map(values.devices.map(({ id, device_title }) => [id, device_title]));
  const trends = new Map(values.trends.map((trend) => [trend.dsid, trend]));
  const all = {
    path: '/monitor/list',
    search: { points: values.marked ? values.points.map(({ dsid }) => dsid).join(',') : undefined },
    text: t('overview:values.all'),
  };
  return (
    <Panel name="values" title={t('overview:values.title')} all={all}>
      {values.away ? (
        <p className={classes.fault} role="status" data-testid="values-away">
          {t('overview:values.away')}
        </p>
      ) : null}
      {values.points.length === 0 ? <p className={classes.note}>{t('overview:values.none')}</p> : null}
      <BoardContext value={board}>
        <ul className={classes.tiles}>
          {values.points.map((point) => (
            <Tile
              key={point.dsid}
              point={point}
              device={titles.get(point.device_id) ?? ''}
              trend={trends.get(point.dsid)}
              fromMs={values.from_ms}
              isAway={values.away}
            />
          ))}
        </ul>
      </BoardContext>
      {values.marked || values.points.length === 0 ? null : (
        <p className={classes.note}>{t('overview:values.first')}</p>
      )}
    </Panel>
  );
}

interface TileProps {
  point: MonitorPoint;
  device: string;
  trend: Trend | undefined;
  fromMs: number;
  /** The trend could not be read: nobody knows whether there is one. */
  isAway: boolean;
}

function Tile({ point, device, trend, fromMs, isAway }: TileProps): ReactElement {
  const { dsid, device_id: deviceId, ds_title: title, slave_title } = point;
  const remembered = { dsid, deviceId, label: labelOf({ deviceTitle: device, slave_title, ds_title: title }) };
  return (
    <li className={classes.value} data-testid="key-value" data-dsid={dsid}>
      <span className={classes.valueHead}>
        <ScreenLink
          path="/dataCenter/hisData"
          search={{ device_id: deviceId, dsids: dsid }}
          className={classes.valueTitle}
          title={point.ds_name}
        >
          {title}
        </ScreenLink>
        <PointStar point={remembered} title={title} />
      </span>
      <span className={classes.valueLine} data-bare={point.unit === '' || undefined}>
        <LivePart dsid={dsid} part="value" testId={`key-${point.ds_name}`} />
        <span className={classes.unit}>{point.unit}</span>
      </span>
      <Spark trend={trend} fromMs={fromMs} isAway={isAway} />
      <span className={classes.valueFoot}>
        <LivePart dsid={dsid} part="trust" />
        <ScreenLink path="/deviceDetail/index" search={{ device_id: deviceId }} title={`${device} · ${slave_title}`}>
          {device}
        </ScreenLink>
      </span>
    </li>
  );
}

/** The last hour as a line; its range is told, because the line has no scale. */
function Spark({ trend, fromMs, isAway }: Pick<TileProps, 'trend' | 'fromMs' | 'isAway'>): ReactElement {
  const { t } = useTranslation();
  const line = trend === undefined ? null : drawn(trend, fromMs, fromMs + HOUR_MS, WIDTH, HEIGHT);
  if (line === null) return <span className={classes.noSpark}>{isAway ? '–' : t('overview:values.noTrend')}</span>;
  return (
    <svg
      className={classes.spark}
      viewBox={`-1 -1 ${WIDTH + 2} ${HEIGHT + 2}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={t('overview:values.trend', { min: line.min, max: line.max })}
      data-testid="spark"
    >
      <title>{t('overview:values.trend', { min: line.min, max: line.max })}</title>
      <path d={line.path} />
    </svg>
  );
}
