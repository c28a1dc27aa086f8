import { Button } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { memo, useCallback, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { labelOf } from '@/blocks/history/remembered';
import { TrendLink } from '@/blocks/history/TrendLink';
import { TrustMark } from '@/blocks/live/TrustMark';
import { useLiveValue } from '@/blocks/live/useLiveValue';
import { useAgeHint, useSwitchWords } from '@/blocks/live/useWords';
import { PointStar } from '@/blocks/devices/Star';
import { useHindrance } from '@/blocks/devices/useHindrance';
import { formatValue } from '@/lib/numbers';
import { explained, toneOf } from '@/lib/quality';
import type { LastValue, PointValue } from '@/lib/quality';
import { countsAsOnline } from '@/lib/quality';
import type { DataSource, DeviceDetail } from '../api';
import classes from '../monitor.module.css';
import { slaveOnLockedPort } from '../presence';
import { PlaceLink } from './PlaceLink';
import { SlaveState } from './SlaveState';
import { Sparkline, SparkContext, useSparks } from './useSparks';
import { usePortLockWords } from './usePortLockWords';

interface Props {
  /** Only what needs a look: no good value, or beyond a limit. */
  onlyAbnormal?: boolean;
  device: DeviceDetail;
  sources: readonly DataSource[];
  last: ReadonlyMap<number, LastValue>;
  onWrite: (source: DataSource) => void;
}

const COLUMNS = 7;

/** Every point with its live value, grouped by slave. */
export function LiveTable({ device, sources, last, onWrite, onlyAbnormal = false }: Props): ReactElement {
  const { t } = useTranslation();
  const sparks = useSparks();
  const groups = useMemo(() => Map.groupBy(sources, (source) => source.slave), [sources]);
  return (
    <SparkContext value={sparks}>
      <table
        className={`${classes.table} ${classes.live}`}
        data-testid="live-table"
        data-only-abnormal={onlyAbnormal || undefined}
      >
        <thead>
          <tr>
            <th scope="col">{t('monitor:column.point')}</th>
            <th scope="col" className={classes.right}>
              {t('monitor:column.value')}
            </th>
            <th scope="col" className={classes.optional}>
              {t('monitor:column.trend')}
            </th>
            <th scope="col" className={classes.optional}>
              {t('monitor:column.limits')}
            </th>
            <th scope="col">{t('monitor:column.quality')}</th>
            <th scope="col">{t('monitor:column.age')}</th>
            <th scope="col">
              <span className="visually-hidden">{t('monitor:column.action')}</span>
            </th>
          </tr>
        </thead>
        {[...groups].map(([name, points]) => (
          <Group key={name} name={name} device={device} points={points} last={last} onWrite={onWrite} />
        ))}
      </table>
      {onlyAbnormal ? (
        <p className={classes.allNormal} role="status" data-testid="all-normal">
          {t('monitor:live.allNormal')}
        </p>
      ) : null}
    </SparkContext>
  );
}

interface GroupProps extends Omit<Props, 'sources' | 'onlyAbnormal'> {
  name: string;
  points: readonly DataSource[];
}

function Group({ name, device, points, last, onWrite }: GroupProps): ReactElement {
  const slave = device.slaves.find((one) => one.name === name);
  const locked = slaveOnLockedPort(device, name);
  const portLockWords = usePortLockWords();
  const hindrance = useHindrance('Device/cmd', device, 'monitor:command.notAllowed');
  return (
    <>
      <tbody className={classes.group}>
        <tr>
          <th colSpan={COLUMNS} scope="colgroup">
            <span className={classes.groupHead}>
              {points[0]?.slave_title ?? name}
              {slave === undefined ? null : <SlaveState slave={slave} gatewayOnline={countsAsOnline(device.link)} />}
            </span>
          </th>
        </tr>
      </tbody>
      <tbody>
        {points.map((source) => (
          <Row
            key={source.dsid}
            source={source}
            initial={last.get(source.dsid)}
            gateway={device}
            locked={locked === null ? '' : portLockWords(locked)}
            hindrance={hindrance}
            onWrite={onWrite}
          />
        ))}
      </tbody>
    </>
  );
}

/** Formats values of a point; writeonly points have none. */
export function useFormat(source: DataSource): (value: PointValue) => string {
  const words = useSwitchWords();
  return useCallback((value: PointValue) => formatValue(value, source, words), [source, words]);
}

interface RowProps {
  source: DataSource;
  initial: LastValue | undefined;
  gateway: DeviceDetail;
  /** Who has the port of its slave; empty when it is not lent. */
  locked: string;
  /** Why it may not be written; empty when it may. */
  hindrance: string;
  onWrite: (source: DataSource) => void;
}

const Row = memo(function Row({ source, initial, gateway, locked, hindrance, onWrite }: RowProps): ReactElement {
  const { t } = useTranslation();
  const hint = useAgeHint(source.record);
  const format = useFormat(source);
  const point = useMemo(() => ({ ...source, min: source.min ?? null, max: source.max ?? null }), [source]);
  const { valueRef, ageRef, trust: liveTrust, limit: broken } = useLiveValue({ point, initial, gateway, format });
  const trust = explained(liveTrust, locked !== '');
  const isAbnormal = source.rw !== 'writeonly' && (toneOf(trust) !== 'ok' || broken !== null);
  const limit = broken === 'high' ? source.max : source.min;
  return (
    <tr
      className={classes.row}
      data-tone={toneOf(trust)}
      data-limit={broken ?? ''}
      data-slave={source.slave}
      data-abnormal={isAbnormal || undefined}
    >
      <th scope="row">
        {source.ds_title}
        <PointStar
          point={{
            dsid: source.dsid,
            deviceId: gateway.id,
            label: labelOf({ ...source, deviceTitle: gateway.device_title }),
          }}
          title={source.ds_title}
        />
        <span className={`${classes.sub} ${classes.mono} ${classes.optional}`}>{source.ds_name}</span>
      </th>
      <td className={`${classes.right} ${classes.valueCell} number`}>
        <TrendLink point={source} deviceId={gateway.id} within="device">
          <span
            ref={valueRef}
            className={classes.value}
            data-testid={`value-${source.ds_name}`}
            data-dsid={source.dsid}
          />
        </TrendLink>
        <span className={classes.unit}>
          {source.ds_type === 'loc' ? (
            <PlaceLink deviceId={gateway.id} dsid={source.dsid} initial={initial} />
          ) : (
            source.unit
          )}
        </span>
      </td>
      <td className={`${classes.trendCell} ${classes.optional}`}>
        {hasSpark(source) ? <Sparkline source={source} /> : null}
      </td>
      <td className={`${classes.limits} ${classes.optional} number`}>
        {broken === null ? limitsText(source) : t(`base:limit.${broken}`, { limit })}
      </td>
      <td className={classes.trustCell} title={trust === 'portLent' ? locked : undefined}>
        <TrustMark state={trust} />
      </td>
      <td className={`${classes.ageCell} number`}>
        <span ref={ageRef} className={classes.hint} title={hint} data-testid={`age-${source.ds_name}`} />
      </td>
      <td className={classes.actionCell}>
        {source.rw === 'readonly' ? null : <WriteButton source={source} hindrance={hindrance} onWrite={onWrite} />}
      </td>
    </tr>
  );
});

function WriteButton({ source, hindrance, onWrite }: Pick<RowProps, 'source' | 'hindrance' | 'onWrite'>): ReactElement {
  const { t } = useTranslation();
  return (
    <Button
      disabled={hindrance !== ''}
      title={hindrance || undefined}
      variant="default"
      size="compact-sm"
      leftSection={<IconPencil size={14} stroke={1.8} />}
      onClick={() => onWrite(source)}
      aria-label={t('monitor:command.writeTo', { title: source.ds_title })}
      data-testid={`write-${source.ds_name}`}
    >
      {t('monitor:command.write')}
    </Button>
  );
}

/** Numbers that may change by themselves. */
function hasSpark({ ds_type, rw }: DataSource): boolean {
  return (ds_type === 'num' || ds_type === 'cal') && rw !== 'writeonly';
}

function limitsText({ min, max }: DataSource): string {
  if ((min ?? null) === null && (max ?? null) === null) return '';
  return `${min ?? '−∞'} – ${max ?? '+∞'}`;
}
