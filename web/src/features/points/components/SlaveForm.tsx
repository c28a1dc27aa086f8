import { Button, Collapse, Select, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '@/components/form/FormDrawer';
import { NumberField } from '@/components/form/NumberField';
import { useApiForm } from '@/components/form/useApiForm';
import { saveSlave } from '../api';
import type { FormField, Ports, ProtocolForm, SlaveValues } from '../api';
import { changedFields, withoutDefaults } from '../model/point';
import { isMatch } from '@/blocks/points/conditions';
import type { Fields } from '@/blocks/points/point';
import { descriptionOf, inLanguage, protocolTitle } from '@/blocks/points/protocols';

interface Props {
  deviceId: number;
  ports: Ports;
  protocols: readonly ProtocolForm[];
  /** Fields that it begins with. */
  slave: Fields;
  /** The slave that is changed; null for a new one. */
  was: string | null;
  /** A copy takes the points of this one too. */
  copyOf?: string;
  onSaved: (name: string) => void;
  onClose: () => void;
}

type Values = Record<string, string | number | boolean>;

const NUMBERS = ['capture_cycle_ms', 'response_timeout_ms', 'retries', 'storage_cycle_s'];
const TEXTS = ['name', 'title', 'port', 'protocol', 'address'];
const OPTION = 'option_';
/** A text that is no address of the protocol's own form, such as a meter's number. */
const isForeign = (protocol: string, address: string): boolean => {
  const pattern = descriptionOf(protocol)?.slave_address.pattern ?? null;
  return pattern !== null && !isMatch(address, pattern);
};
/** What a document need not say. */
const DEFAULTS: Fields = { response_timeout_ms: 1000, retries: 1, storage_cycle_s: 0, enable: true };
const STORAGE_STEP_S = 10;

/** Fields of a slave, and the options of its protocol as the gateway describes them. */
export function SlaveForm({ deviceId, ports, protocols, slave, was, copyOf, onSaved, onClose }: Props): ReactElement {
  const { t, i18n } = useTranslation();
  const isChinese = i18n.language.startsWith('zh');
  const form = useApiForm<Values>({
    values: valuesOf(slave, protocols),
    validate: {
      name: (name) => (/^[\w-]{1,64}$/.test(String(name)) ? null : t('base:point.fault.name')),
      port: (port) => (port === '' ? t('base:point.fault.required') : null),
      protocol: (protocol) => (protocol === '' ? t('base:point.fault.required') : null),
      address: (address, { protocol: of }) =>
        address === ''
          ? t('base:point.fault.required')
          : isForeign(String(of), String(address))
            ? t('points:slave.meterAddress')
            : null,
      storage_cycle_s: (cycle) =>
        Number(cycle) % STORAGE_STEP_S === 0 ? null : t('base:point.fault.multiple', { of: STORAGE_STEP_S }),
    },
    save: (values) => {
      const fields = fieldsOf(values, protocols, slave);
      const body = was === null ? fields : changedFields(slave, fields);
      return saveSlave(deviceId, was, {
        ...(body as SlaveValues),
        ...(copyOf === undefined ? {} : { points_of: copyOf }),
      });
    },
    onSaved: (_saved, { name }) => onSaved(String(name)),
  });
  const { getInputProps, getValues, setFieldValue, errors } = form.fields;
  const [isOpen, setIsOpen] = useState(false);
  const values = getValues();
  const portType = ports.rows.find(({ fields }) => fields.name === values.port)?.fields.type;
  const protocol = protocols.find(({ name }) => name === values.protocol);
  const fitting = protocols.filter(
    ({ port_types, name }) =>
      portType === undefined || port_types.includes(String(portType)) || name === values.protocol,
  );
  const toProtocol = (name: string | null): void => {
    setFieldValue('protocol', name ?? '');
    const usual = protocols.find((each) => each.name === name)?.connection.address;
    // What nobody has entered follows the protocol; an address that is no meter's is nobody's meter.
    const isUsual =
      values.address === '' || values.address === slave.address || values.address === protocol?.connection.address;
    if (isForeign(name ?? '', String(values.address))) setFieldValue('address', '');
    else if (was === null && usual !== undefined && isUsual) setFieldValue('address', usual);
  };
  const toChoice = (field: FormField, value: string | null): void => {
    setFieldValue(OPTION + field.name, value ?? '');
    const before = protocol?.connection.choices?.[field.name]?.[String(values[OPTION + field.name] ?? '')] ?? {};
    for (const [name, said] of Object.entries(before))
      if (values[OPTION + name] === said) setFieldValue(OPTION + name, '');
    for (const [name, said] of Object.entries(protocol?.connection.choices?.[field.name]?.[value ?? ''] ?? {}))
      setFieldValue(OPTION + name, said);
  };
  const follow = new Set(
    Object.values(protocol?.connection.choices ?? {}).flatMap((each) =>
      Object.values(each).flatMap((one) => Object.keys(one)),
    ),
  );
  const hidden = followsNot(protocol, values);
  const offered = protocol?.options.filter(({ name }) => !hidden.has(name)) ?? [];
  const first = offered.filter(({ name, required }) => required || follow.has(name));
  const more = offered.filter((field) => !first.includes(field));
  const hasFault = more.some(({ name }) => errors[OPTION + name] !== undefined);
  const label = (name: string): string => t(`points:slave.${name}`);
  const title =
    was === null
      ? t(copyOf === undefined ? 'points:tree.addSlave' : 'points:slave.copy', { name: copyOf })
      : t('points:slave.edit', { name: was });
  const described = descriptionOf(String(values.protocol));
  const choiceTitles = described?.choice_titles ?? {};
  const hint = described?.slave_address.hint;
  const option = (field: FormField): ReactElement => {
    const shared = {
      label: isChinese ? field.zh : field.en,
      withAsterisk: field.required,
      ...getInputProps(OPTION + field.name),
    };
    const placeholder = field.default === null || field.default === undefined ? undefined : String(field.default);
    if (field.kind === 'choice')
      return (
        <Select
          key={field.name}
          data={(field.choices ?? []).map((value) => ({
            value,
            label: choiceTitles[field.name]?.[value] ?? value,
          }))}
          clearable={!field.required}
          clearButtonProps={{ 'aria-label': t('base:table.clear') }}
          placeholder={placeholder}
          {...shared}
          onChange={(value) => toChoice(field, value)}
          data-testid={`option-${field.name}`}
        />
      );
    if (field.kind === 'switch')
      return <Switch key={field.name} {...shared} checked={values[OPTION + field.name] === true} mt={26} />;
    if (field.kind === 'integer')
      return (
        <NumberField
          key={field.name}
          min={field.min ?? undefined}
          max={field.max ?? undefined}
          placeholder={placeholder}
          {...shared}
        />
      );
    return <TextInput key={field.name} placeholder={placeholder} {...shared} autoComplete="off" />;
  };
  return (
    <FormDrawer title={title} form={form} onClose={onClose} proposed={copyOf !== undefined} size={520}>
      <SimpleGrid cols={2} spacing="sm">
        <TextInput
          label={label('name')}
          description={t('points:nameHint')}
          {...getInputProps('name')}
          maxLength={64}
          data-testid="slave-name"
        />
        <TextInput
          label={label('title')}
          description={t('points:slave.titleHint')}
          {...getInputProps('title')}
          maxLength={64}
          data-testid="slave-title"
        />
        <Select
          label={label('port')}
          data={ports.rows.map(({ fields }) => String(fields.name))}
          allowDeselect={false}
          {...getInputProps('port')}
          data-testid="slave-port"
        />
        <Select
          label={label('protocol')}
          data={fitting.map(({ name }) => ({
            value: name,
            label: protocolTitle(name, i18n.language),
          }))}
          allowDeselect={false}
          {...getInputProps('protocol')}
          onChange={toProtocol}
          data-testid="slave-protocol"
        />
        <TextInput
          label={label('address')}
          description={hint === undefined ? undefined : inLanguage(hint, i18n.language)}
          {...getInputProps('address')}
          maxLength={64}
          data-testid="slave-address"
        />
        <NumberField
          label={label('capture_cycle_ms')}
          min={10}
          max={86_400_000}
          placeholder={t('points:slave.asPort')}
          {...getInputProps('capture_cycle_ms')}
        />
        <NumberField
          label={label('response_timeout_ms')}
          min={10}
          max={60_000}
          {...getInputProps('response_timeout_ms')}
        />
        <NumberField label={label('retries')} min={0} max={10} {...getInputProps('retries')} />
        <NumberField
          label={label('storage_cycle_s')}
          description={t('points:slave.storageHint')}
          min={0}
          max={86_400}
          step={STORAGE_STEP_S}
          {...getInputProps('storage_cycle_s')}
          data-testid="slave-storage"
        />
        <Switch label={label('enable')} {...getInputProps('enable', { type: 'checkbox' })} mt={26} />
        {first.map(option)}
      </SimpleGrid>
      {more.length === 0 ? null : (
        <>
          <Button
            variant="subtle"
            size="compact-sm"
            mt="sm"
            onClick={() => setIsOpen(!isOpen)}
            aria-expanded={isOpen || hasFault}
            data-testid="slave-more"
          >
            {t('points:slave.more')}
          </Button>
          <Collapse expanded={isOpen || hasFault}>
            {isOpen || hasFault ? (
              <SimpleGrid cols={2} spacing="sm">
                {more.map(option)}
              </SimpleGrid>
            ) : null}
          </Collapse>
        </>
      )}
    </FormDrawer>
  );
}

/** Options that the chosen model does not take: it has no place of its own, so none is filled in. */
function followsNot(protocol: ProtocolForm | undefined, values: Values): ReadonlySet<string> {
  const hidden = new Set<string>();
  for (const [name, choices] of Object.entries(protocol?.connection.choices ?? {})) {
    const value = String(values[OPTION + name] ?? '');
    if (choices[value] !== undefined) continue;
    for (const each of Object.values(choices).flatMap((one) => Object.keys(one))) {
      if ((values[OPTION + each] ?? '') === '') hidden.add(each);
    }
  }
  return hidden;
}

function valuesOf(slave: Fields, protocols: readonly ProtocolForm[]): Values {
  const values: Values = { enable: slave.enable !== false };
  for (const name of [...TEXTS, ...NUMBERS]) values[name] = (slave[name] as string | number | undefined) ?? '';
  values.response_timeout_ms = (slave.response_timeout_ms as number | undefined) ?? 1000;
  values.retries = (slave.retries as number | undefined) ?? 1;
  values.storage_cycle_s = (slave.storage_cycle_s as number | undefined) ?? 0;
  const options = (slave.options ?? {}) as Fields;
  for (const { name, kind, default: preset } of protocols.flatMap((protocol) => protocol.options)) {
    const own = options[name] as string | number | boolean | undefined;
    values[OPTION + name] ??= own ?? (kind === 'switch' ? preset === true : '');
  }
  return values;
}

/** before: as the slave was; options that this portal does not know stay while the protocol does. */
function fieldsOf(values: Values, protocols: readonly ProtocolForm[], before: Fields): Fields {
  const form = protocols.find(({ name }) => name === values.protocol);
  const had = (before.protocol === values.protocol ? (before.options as Fields | undefined) : undefined) ?? {};
  const known = new Set(form?.options.map(({ name }) => name));
  const options: Record<string, unknown> = Object.fromEntries(Object.entries(had).filter(([name]) => !known.has(name)));
  for (const { name, kind, default: preset } of form?.options ?? []) {
    const value = values[OPTION + name];
    if (
      value === '' ||
      value === undefined ||
      value === null ||
      (value === (preset ?? undefined) && had[name] === undefined)
    )
      continue;
    options[name] = kind === 'integer' ? Number(value) : value;
  }
  const numbers = Object.fromEntries(
    NUMBERS.map((name) => [name, values[name] === '' ? undefined : Number(values[name])]),
  );
  const texts = Object.fromEntries(TEXTS.map((name) => [name, values[name]]));
  return withoutDefaults(
    { ...texts, ...numbers, enable: values.enable, options: Object.keys(options).length === 0 ? undefined : options },
    DEFAULTS,
    before,
  );
}
