import { Select, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { NumberField } from '@/components/form/NumberField';
import type { ApiForm } from '@/components/form/useApiForm';
import classes from '../devices.module.css';
import type { WizardDraft } from '../wizard';
import { BAUDS, formOf, hostOf, PARITIES, sharable } from '../wizardSlaves';
import type { Forms, WizardPort, WizardSlave } from '../wizardSlaves';
import { HINT_BELOW } from './BasicFields';

export interface SlaveProps {
  form: ApiForm<WizardDraft>;
  /** Its place in the list. */
  at: number;
  slave: WizardSlave;
  forms: Forms;
  onChange: (slaves: readonly WizardSlave[]) => void;
}

/** How the gateway reaches a device: by a port of its own, or that of another device of the protocol. */
export function SlaveConnection({ form, at, slave, forms, onChange }: SlaveProps): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const { slaves } = fields.getValues();
  const own = formOf(forms, slave.protocol);
  const { port } = hostOf(slaves, slave);
  const types = (['COM', 'NET'] as const).filter((type) => own?.port_types.includes(type));
  const choices = [
    ...types.map((value) => ({ value: value as string, label: t(`devices:wizard.portType.${value}`) })),
    ...sharable(slaves, slave, forms).map(({ key, name, port: of }) => ({
      value: String(key),
      label: t('devices:wizard.sharedWith', { name, at: of.type === 'COM' ? of.device : of.host || '…' }),
    })),
  ];
  const choose = (value: string | null): void => {
    const type = types.find((each) => each === value);
    const change = type === undefined ? { shares: Number(value) } : { shares: null, port: { ...slave.port, type } };
    // Who shares the port of this one has to go with it.
    const moved =
      type === undefined
        ? slaves.map((each) => (each.shares === slave.key ? { ...each, shares: Number(value) } : each))
        : slaves;
    onChange(moved.map((each) => (each.key === slave.key ? { ...each, ...change } : each)));
  };
  const props = (name: keyof WizardPort): object => fields.getInputProps(`slaves.${at}.port.${name}`);
  const number = (
    <NumberField
      label={t('devices:wizard.portNumber')}
      description={own?.connection.tcp_port == null ? t('devices:wizard.serverPort') : undefined}
      inputWrapperOrder={HINT_BELOW}
      min={1}
      max={65_535}
      allowDecimal={false}
      hideControls
      data-testid="wizard-port"
      {...props('number')}
    />
  );
  const choice = (
    name: keyof WizardPort,
    data: readonly (string | { value: string; label: string })[],
  ): ReactElement => (
    <Select
      label={t(`devices:wizard.${name}`)}
      data={[...data]}
      allowDeselect={false}
      data-testid={`wizard-${name}`}
      {...props(name)}
    />
  );
  return (
    <>
      <Select
        className={classes.wide}
        label={t('devices:wizard.port')}
        data={choices}
        value={slave.shares === null ? port.type : String(slave.shares)}
        onChange={choose}
        allowDeselect={false}
        data-testid="wizard-connection"
      />
      {slave.shares !== null ? null : port.type === 'NET' ? (
        <>
          <TextInput
            label={t('devices:wizard.host')}
            withAsterisk
            aria-required
            maxLength={200}
            data-testid="wizard-host"
            {...props('host')}
          />
          {number}
        </>
      ) : (
        <>
          <TextInput
            label={t('devices:wizard.device')}
            maxLength={200}
            data-testid="wizard-device"
            {...props('device')}
          />
          {choice('baud', BAUDS)}
          {choice(
            'parity',
            PARITIES.map((value) => ({ value, label: t(`devices:wizard.parities.${value}`) })),
          )}
          <div className={classes.pairs}>
            {choice('data_bits', ['7', '8'])}
            {choice('stop_bits', ['1', '2'])}
          </div>
        </>
      )}
    </>
  );
}
