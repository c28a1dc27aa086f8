import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { TrendLink } from '@/blocks/history/TrendLink';
import { useLiveValue } from '@/blocks/live/useLiveValue';
import type { LastValue } from '@/lib/quality';
import type { DataSource, DeviceDetail, Preset } from '../api';
import type { Entered } from '../command';
import classes from '../monitor.module.css';
import { useFormat } from './LiveTable';
import { ValueEntry } from './ValueEntry';

interface Props {
  device: DeviceDetail;
  sources: readonly DataSource[];
  last: ReadonlyMap<number, LastValue>;
  entered: ReadonlyMap<number, Entered>;
  begin: Preset | null;
  onEnter: (dsid: number, entered: Entered) => void;
}

/** Shown without a search. */
const SEARCH_FROM = 8;

/** Every writable point with its current value and an entry; a row without an entry is not sent. */
export function BatchTable({ sources, entered, begin, ...rest }: Props): ReactElement {
  const { t } = useTranslation();
  const [wanted, setWanted] = useState('');
  const text = wanted.trim().toLowerCase();
  const matches = (source: DataSource): boolean =>
    text === '' || `${source.ds_title} ${source.ds_name} ${source.slave_title}`.toLowerCase().includes(text);
  return (
    <div>
      {sources.length < SEARCH_FROM ? null : (
        <TextInput
          mb="xs"
          placeholder={t('monitor:batch.search')}
          aria-label={t('monitor:batch.search')}
          leftSection={<IconSearch size={16} />}
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
        />
      )}
      <table className={classes.table} data-testid="batch-table">
        <thead>
          <tr>
            <th scope="col">{t('monitor:column.point')}</th>
            <th scope="col" className={classes.right}>
              {t('monitor:command.current')}
            </th>
            <th scope="col">{t('monitor:command.newValue')}</th>
          </tr>
        </thead>
        <tbody>
          {sources.map((source) => (
            <Row
              key={source.dsid}
              source={source}
              isVisible={matches(source)}
              entered={entered.get(source.dsid) ?? null}
              initial={begin?.writes.find(({ dsid }) => dsid === source.dsid)?.value}
              {...rest}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps extends Pick<Props, 'device' | 'last' | 'onEnter'> {
  source: DataSource;
  isVisible: boolean;
  entered: Entered;
  initial: string | number | boolean | null | undefined;
}

function Row({ source, isVisible, entered, initial, device, last, onEnter }: RowProps): ReactElement {
  const { t } = useTranslation();
  const [generation, setGeneration] = useState(0);
  const format = useFormat(source);
  const point = useMemo(() => ({ ...source, min: source.min ?? null, max: source.max ?? null }), [source]);
  const { valueRef } = useLiveValue({ point, initial: last.get(source.dsid), gateway: device, format });
  const clear = (): void => {
    onEnter(source.dsid, null);
    setGeneration(generation + 1);
  };
  return (
    <tr hidden={!isVisible} data-entered={entered !== null}>
      <th scope="row">
        {source.ds_title}
        <span className={classes.sub}>{source.slave_title}</span>
      </th>
      <td className={`${classes.right} number`}>
        <TrendLink point={source} deviceId={device.id} within="device">
          <span ref={valueRef} />
        </TrendLink>{' '}
        {source.unit}
      </td>
      <td>
        <div className={classes.batchEntry}>
          <ValueEntry
            key={generation}
            source={source}
            entered={entered}
            onChange={(next) => onEnter(source.dsid, next)}
            initial={generation === 0 ? initial : undefined}
            inRow
          />
          <CloseButton
            size={28}
            disabled={entered === null}
            aria-label={t('monitor:batch.leaveOut', { title: source.ds_title })}
            title={t('monitor:batch.leaveOut', { title: source.ds_title })}
            onClick={clear}
          />
        </div>
      </td>
    </tr>
  );
}
