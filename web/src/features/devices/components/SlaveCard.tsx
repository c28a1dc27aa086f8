import { ActionIcon, Collapse, Button, Select, TextInput, Tooltip } from '@mantine/core';
import { IconCopy, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { NoTemplates } from '@/blocks/templates/NoTemplates';
import { protocolWord } from '@/blocks/templates/protocolWord';
import { AsyncPicker } from '@/components/AsyncPicker';
import type { Choice } from '@/components/AsyncPicker';
import { descriptionOf, inLanguage } from '@/blocks/points/protocols';
import { findPointTemplates } from '../api';
import classes from '../devices.module.css';
import { formOf, withProtocol } from '../wizardSlaves';
import type { WizardSlave } from '../wizardSlaves';
import { HINT_BELOW } from './BasicFields';
import { OptionField } from './OptionField';
import { SlaveConnection } from './SlaveConnection';
import type { SlaveProps } from './SlaveConnection';

/** One device behind the gateway. */
export function SlaveCard(
  props: SlaveProps & { hasTemplates: boolean; onDuplicate: () => void; onRemove: () => void },
): ReactElement {
  const { form, at, slave, forms, hasTemplates, onChange, onDuplicate, onRemove } = props;
  const { t, i18n } = useTranslation();
  const [open, setOpen] = useState(false);
  const { fields } = form;
  const { slaves } = fields.getValues();
  const own = formOf(forms, slave.protocol);
  const addressField = descriptionOf(slave.protocol)?.slave_address;
  const put = (next: WizardSlave): void => onChange(slaves.map((each) => (each.key === slave.key ? next : each)));
  const toProtocol = (name: string | null): void => {
    const wanted = formOf(forms, name ?? '');
    if (wanted !== undefined && wanted.name !== slave.protocol) onChange(withProtocol(slaves, slave, wanted, forms));
  };
  const toTemplate = (template: Choice | null): void => {
    const wanted = formOf(forms, template?.note ?? '');
    const moved =
      wanted === undefined || wanted.name === slave.protocol ? slaves : withProtocol(slaves, slave, wanted, forms);
    onChange(moved.map((each) => (each.key === slave.key ? { ...each, template } : each)));
  };
  const follow = new Set(
    Object.values(own?.connection.choices ?? {}).flatMap((each) =>
      Object.values(each).flatMap((one) => Object.keys(one)),
    ),
  );
  const visible = own?.options.filter((field) => field.required || follow.has(field.name)) ?? [];
  const more = own?.options.filter((field) => !visible.includes(field)) ?? [];
  const hasHiddenFault = more.some(({ name }) => fields.errors[`slaves.${at}.options.${name}`] !== undefined);
  const option = (field: (typeof more)[number]): ReactElement => (
    <OptionField key={field.name} form={form} at={at} slave={slave} own={own} field={field} onChange={put} />
  );
  return (
    <li className={classes.slave} data-testid="wizard-slave-card">
      <div className={classes.slaveHead}>
        <strong>
          {at + 1}. {slave.name}
        </strong>
        <span className={classes.slaveTools}>
          <Tool
            label={t('devices:wizard.duplicate', { name: slave.name })}
            onClick={onDuplicate}
            testId="wizard-duplicate"
          >
            <IconCopy size={16} aria-hidden />
          </Tool>
          <Tool label={t('devices:wizard.remove', { name: slave.name })} onClick={onRemove} testId="wizard-remove">
            <IconTrash size={16} aria-hidden />
          </Tool>
        </span>
      </div>
      <div className={classes.pairs}>
        <Select
          label={t('devices:wizard.protocol')}
          data={forms.map(({ name }) => ({ value: name, label: protocolWord(name) }))}
          value={slave.protocol}
          onChange={toProtocol}
          allowDeselect={false}
          searchable
          data-testid="wizard-protocol"
        />
        {hasTemplates ? (
          <AsyncPicker
            label={t('devices:wizard.pointTemplate')}
            placeholder={t('devices:wizard.pointsLater')}
            value={slave.template}
            onChange={toTemplate}
            load={(search, signal) =>
              findPointTemplates(search, i18n.language.startsWith('zh') ? 'zh' : 'en', slave.protocol, signal)
            }
            queryKey={['template', 'pick', 'point', slave.protocol]}
            noteText={(protocol) => protocolWord(protocol)}
            empty={<NoTemplates category="point" />}
            clearable
            testId="wizard-point-template"
          />
        ) : null}
        <TextInput
          label={t('devices:wizard.slaveName')}
          maxLength={64}
          data-testid="wizard-slave"
          {...fields.getInputProps(`slaves.${at}.name`)}
        />
        <TextInput
          label={addressField === undefined ? slave.protocol : inLanguage(addressField.label, i18n.language)}
          description={addressField === undefined ? undefined : inLanguage(addressField.hint, i18n.language)}
          inputWrapperOrder={HINT_BELOW}
          maxLength={12}
          data-testid="wizard-address"
          {...fields.getInputProps(`slaves.${at}.address`)}
        />
        {visible.map(option)}
        <SlaveConnection form={form} at={at} slave={slave} forms={forms} onChange={onChange} />
        {more.length === 0 ? null : (
          <div className={classes.wide}>
            <Button
              variant="subtle"
              size="compact-sm"
              onClick={() => setOpen(!open)}
              aria-expanded={open || hasHiddenFault}
              data-testid="wizard-more"
            >
              {t('devices:wizard.more')}
            </Button>
            <Collapse expanded={open || hasHiddenFault}>
              {open || hasHiddenFault ? <div className={classes.pairs}>{more.map(option)}</div> : null}
            </Collapse>
          </div>
        )}
      </div>
    </li>
  );
}

function Tool({
  label,
  onClick,
  testId,
  children,
}: {
  label: string;
  onClick: () => void;
  testId: string;
  children: ReactElement;
}): ReactElement {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" onClick={onClick} aria-label={label} data-testid={testId}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
