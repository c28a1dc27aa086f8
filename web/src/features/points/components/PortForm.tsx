import { Select, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { protocolTitle } from '@/blocks/points/protocols';
import { FormDrawer } from '@/components/form/FormDrawer';
import { NumberField } from '@/components/form/NumberField';
import { useApiForm } from '@/components/form/useApiForm';
import { savePort } from '../api';
import type { PortValues, ProtocolForm } from '../api';
import { changedFields, withoutDefaults } from '../model/point';
import type { Fields } from '@/blocks/points/point';

interface Props {
  deviceId: number;
  protocols: readonly ProtocolForm[];
  /** Fields of the port that is changed; null for a new one. */
  port: Fields | null;
  onSaved: (name: string) => void;
  onClose: () => void;
}

const NUMBERS = ['capture_cycle_ms', 'min_interval_ms'] as const;
const BAUDS = ['1200', '2400', '4800', '9600', '19200', '38400', '57600', '115200'];

/** Empty means the default; a choice that is a number is a text in the form. */
const START = {
  name: '',
  type: 'COM',
  device: '/dev/ttyS1',
  baud: '9600',
  parity: 'N',
  data_bits: '8',
  stop_bits: '1',
  ip: '',
  port: '502' as string | number,
  capture_cycle_ms: 1000 as string | number,
  min_interval_ms: 5 as string | number,
  enable: true,
};
type Values = typeof START;

/** What a document need not say. */
const DEFAULTS: Fields = {
  baud: 9600,
  parity: 'N',
  data_bits: 8,
  stop_bits: 1,
  port: 502,
  capture_cycle_ms: 1000,
  min_interval_ms: 5,
  enable: true,
};

export function PortForm({ deviceId, protocols, port, onSaved, onClose }: Props): ReactElement {
  const { t, i18n } = useTranslation();
  const [protocol, setProtocol] = useState<string | null>(null);
  const was = port === null ? null : String(port.name);
  const form = useApiForm<Values>({
    values: port === null ? START : valuesOf(port),
    validate: { name: (name) => (/^[\w-]{1,64}$/.test(name) ? null : t('base:point.fault.name')) },
    save: (values) =>
      savePort(
        deviceId,
        was,
        (port === null ? fieldsOf(values, {}) : changedFields(port, fieldsOf(values, port))) as PortValues,
      ),
    onSaved: (_saved, { name }) => onSaved(name),
  });
  const { getInputProps, getValues, setValues } = form.fields;
  const isCom = getValues().type === 'COM';
  const label = (name: string): string => t(`points:port.${name}`);
  const propose = (name: string | null): void => {
    setProtocol(name);
    const form = protocols.find((each) => each.name === name);
    if (form !== undefined) setValues(proposedOf(form, getValues()));
  };
  const choices = (name: string, data: readonly string[]): ReactElement => (
    <Select
      label={label(name)}
      data={[...data]}
      allowDeselect={false}
      {...getInputProps(name)}
      data-testid={`port-${name}`}
    />
  );
  return (
    <FormDrawer
      title={t(was === null ? 'points:tree.addPort' : 'points:port.edit', { name: was })}
      form={form}
      onClose={onClose}
    >
      <TextInput
        label={label('name')}
        description={t('points:nameHint')}
        {...getInputProps('name')}
        maxLength={64}
        data-testid="port-name"
      />
      {was === null ? (
        <Select
          label={label('protocol')}
          description={t('points:port.protocolHint')}
          data={protocols.map(({ name }) => ({
            value: name,
            label: protocolTitle(name, i18n.language),
          }))}
          value={protocol}
          onChange={propose}
          data-testid="port-protocol"
        />
      ) : null}
      {choices('type', ['COM', 'NET'])}
      {isCom ? (
        <>
          <TextInput label={label('device')} {...getInputProps('device')} maxLength={200} data-testid="port-device" />
          <SimpleGrid cols={2} spacing="sm">
            {choices('baud', BAUDS)}
            <Select
              label={label('parity')}
              data={['N', 'O', 'E'].map((value) => ({ value, label: t(`points:parity.${value}`) }))}
              allowDeselect={false}
              {...getInputProps('parity')}
            />
            {choices('data_bits', ['7', '8'])}
            {choices('stop_bits', ['1', '2'])}
          </SimpleGrid>
        </>
      ) : (
        <SimpleGrid cols={2} spacing="sm">
          <TextInput label={label('ip')} {...getInputProps('ip')} maxLength={200} data-testid="port-ip" />
          <NumberField label={label('port')} min={1} max={65_535} {...getInputProps('port')} data-testid="port-port" />
        </SimpleGrid>
      )}
      <SimpleGrid cols={2} spacing="sm">
        <NumberField
          label={label('capture_cycle_ms')}
          min={10}
          max={86_400_000}
          {...getInputProps('capture_cycle_ms')}
        />
        <NumberField
          label={label('min_interval_ms')}
          min={0}
          max={10_000}
          description={t('points:port.intervalHint')}
          {...getInputProps('min_interval_ms')}
        />
      </SimpleGrid>
      <Switch label={label('enable')} {...getInputProps('enable', { type: 'checkbox' })} />
    </FormDrawer>
  );
}

/** What devices of a protocol are delivered with; a port without a number of its own keeps what is entered. */
function proposedOf({ port_types, connection }: ProtocolForm, { type, port }: Values): Partial<Values> {
  const { serial, tcp_port, min_interval_ms, capture_cycle_ms } = connection;
  const kind = port_types.includes(type) ? type : (port_types[0] ?? type);
  const framing =
    serial == null
      ? {}
      : {
          baud: String(serial.baud),
          parity: serial.parity,
          data_bits: String(serial.data_bits),
          stop_bits: String(serial.stop_bits),
        };
  return { type: kind, port: tcp_port ?? port, min_interval_ms, capture_cycle_ms, ...framing };
}

function valuesOf(port: Fields): Values {
  const texts = Object.fromEntries(
    Object.entries({ ...START, device: '', ...port }).map(([name, value]) => [
      name,
      typeof value === 'number' ? String(value) : value,
    ]),
  );
  return { ...START, ...texts } as Values;
}

/** Fields of the kind that is chosen; what is empty has its default. */
function fieldsOf(values: Values, before: Fields): Fields {
  const { type, name, enable, device, ip, parity } = values;
  const number = (value: string | number): number | undefined => (value === '' ? undefined : Number(value));
  const line = {
    device,
    baud: number(values.baud),
    parity,
    data_bits: number(values.data_bits),
    stop_bits: number(values.stop_bits),
  };
  const net = { ip, port: number(values.port) };
  const cycles = Object.fromEntries(NUMBERS.map((each) => [each, number(values[each])]));
  return withoutDefaults({ name, type, enable, ...(type === 'COM' ? line : net), ...cycles }, DEFAULTS, before);
}
