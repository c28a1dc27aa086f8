import { Button, Group } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import type { CellFault, Ports, ProtocolForm, Slaves } from '../api';
import { faultText } from '@/blocks/points/faultWords';
import { pointProtocol } from '@/blocks/points/protocols';
import type { Fields } from '@/blocks/points/point';
import classes from '../points.module.css';
import { PointSheet } from './PointSheet';
import type { Place, TreeAction } from './SlaveTree';

interface Props {
  deviceId: number;
  place: Place | null;
  ports: Ports;
  slaves: Slaves;
  protocols: readonly ProtocolForm[];
  hindrance: string;
  onPlace: (place: Place) => void;
  onAction: (action: TreeAction) => void;
}

const NO_OPTIONS: Fields = {};

/** What belongs to the place that is chosen in the tree: a slave's points, or a port's slaves. */
export function PlacePanel({
  deviceId,
  place,
  ports,
  slaves,
  protocols,
  hindrance,
  onPlace,
  onAction,
}: Props): ReactElement {
  const { t } = useTranslation();
  if (place === null) {
    const first = ports.rows.length === 0;
    const action: TreeAction = first ? 'addPort' : 'addSlave';
    const button = (
      <Button
        size="sm"
        disabled={hindrance !== ''}
        title={hindrance || undefined}
        onClick={() => onAction(action)}
        data-testid="first-action"
      >
        {t(`points:tree.${action}`)}
      </Button>
    );
    return (
      <Empty
        title={t(first ? 'points:start.port' : 'points:start.choose')}
        text={t(first ? 'points:start.portText' : 'points:start.chooseText')}
        action={button}
      />
    );
  }
  if (place.kind === 'slave')
    return (
      <OfSlave deviceId={deviceId} name={place.name} slaves={slaves} protocols={protocols} hindrance={hindrance} />
    );
  const below = slaves.rows.filter(({ fields }) => fields.port === place.name);
  return (
    <div className={classes.sheetSide}>
      <Faults faults={ports.faults.filter(({ name }) => name === place.name)} words="port" />
      <Group gap="xs">
        <strong>{place.name}</strong>
        <Button variant="default" size="compact-sm" disabled={hindrance !== ''} onClick={() => onAction('edit')}>
          {t('points:tree.edit')}
        </Button>
        <Button
          size="compact-sm"
          disabled={hindrance !== ''}
          onClick={() => onAction('addSlave')}
          data-testid="port-add-slave"
        >
          {t('points:tree.addSlave')}
        </Button>
      </Group>
      <ul className={classes.rows}>
        {below.map(({ fields, points }) => (
          <li key={String(fields.name)}>
            <Button
              variant="subtle"
              size="compact-sm"
              onClick={() => onPlace({ kind: 'slave', name: String(fields.name) })}
            >
              {String(fields.title ?? fields.name)}
            </Button>{' '}
            <span className={classes.by}>{t('points:slave.line', { address: fields.address, count: points })}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function OfSlave({
  deviceId,
  name,
  slaves,
  protocols,
  hindrance,
}: Pick<Props, 'deviceId' | 'slaves' | 'protocols' | 'hindrance'> & { name: string }): ReactElement {
  const fields = slaves.rows.find((row) => row.fields.name === name)?.fields;
  const options = (fields?.options as Fields | undefined) ?? NO_OPTIONS;
  const wanted = pointProtocol(String(fields?.protocol ?? ''), options);
  const form = protocols.find(({ name: each }) => each === wanted);
  return (
    <div className={classes.sheetSide} style={{ padding: 0 }}>
      <Faults faults={slaves.faults.filter((fault) => fault.name === name)} words="slave" />
      <PointSheet key={name} deviceId={deviceId} slave={name} form={form} options={options} hindrance={hindrance} />
    </div>
  );
}

function Faults({ faults, words }: { faults: readonly CellFault[]; words: 'port' | 'slave' }): ReactElement | null {
  const { t } = useTranslation();
  if (faults.length === 0) return null;
  return (
    <ul className={classes.faults} data-testid="place-faults">
      {faults.map(({ field, code, arguments: args }) => (
        <li key={`${field}/${code}`}>
          {t(`points:${words}.${field}`, { defaultValue: field })}: {faultText(t, code, args)}
        </li>
      ))}
    </ul>
  );
}
