import type { ReactElement } from 'react';
import type { Ports, ProtocolForm, Slaves } from '../api';
import { freeName } from '@/blocks/points/point';
import type { Fields } from '@/blocks/points/point';
import { PortForm } from './PortForm';
import { SlaveForm } from './SlaveForm';
import type { Place } from './SlaveTree';

/** The form that is open. was: what is changed, null for something new; port: where it is proposed; copyOf: a slave. */
export interface Opened {
  kind: Place['kind'];
  was: string | null;
  port?: string;
  copyOf?: string;
}

interface Props {
  deviceId: number;
  opened: Opened;
  ports: Ports;
  slaves: Slaves;
  protocols: readonly ProtocolForm[];
  onSaved: (place: Place) => void;
  onClose: () => void;
}

/** The form of a port or slave: of one that is there, of a copy, or of a new one with what is likely. */
export default function PlaceForm({
  deviceId,
  opened,
  ports,
  slaves,
  protocols,
  onSaved,
  onClose,
}: Props): ReactElement {
  const { kind, was, copyOf } = opened;
  if (kind === 'port') {
    const port = ports.rows.find(({ fields }) => fields.name === was)?.fields ?? null;
    return (
      <PortForm
        deviceId={deviceId}
        protocols={protocols}
        port={port}
        onSaved={(name) => onSaved({ kind: 'port', name })}
        onClose={onClose}
      />
    );
  }
  const origin = slaves.rows.find(({ fields }) => fields.name === (was ?? copyOf))?.fields;
  const fields = was === null ? proposed(opened, origin, ports, slaves, protocols) : (origin ?? {});
  return (
    <SlaveForm
      deviceId={deviceId}
      ports={ports}
      protocols={protocols}
      slave={fields}
      was={was}
      copyOf={copyOf}
      onSaved={(name) => onSaved({ kind: 'slave', name })}
      onClose={onClose}
    />
  );
}

/** A free name and address on the port, and the protocol that its other slaves speak. */
function proposed(
  { port, copyOf }: Opened,
  origin: Fields | undefined,
  ports: Ports,
  slaves: Slaves,
  protocols: readonly ProtocolForm[],
): Fields {
  const taken = new Set(slaves.rows.map(({ fields }) => String(fields.name)));
  const on = String(origin?.port ?? port ?? ports.rows[0]?.fields.name ?? '');
  const beside = slaves.rows.filter(({ fields }) => fields.port === on).map(({ fields }) => fields as Fields);
  const portType = ports.rows.find(({ fields }) => fields.name === on)?.fields.type;
  const first = protocols.find(({ port_types }) => port_types.includes(String(portType ?? 'COM'))) ?? protocols[0];
  const protocol = origin?.protocol ?? beside[0]?.protocol ?? first?.name;
  const used = new Set(beside.map(({ address }) => String(address)));
  const usual = protocols.find((each) => each.name === protocol)?.connection.address ?? '1';
  let address: string | number = usual;
  if (used.has(usual) && !/^\d{1,3}$/.test(usual)) address = '';
  else if (used.has(usual)) for (address = Number(usual); used.has(String(address));) address += 1;
  const name = freeName(taken, copyOf ?? 'slave');
  return { ...origin, name, title: origin?.title, port: on, protocol, address: String(address) };
}
