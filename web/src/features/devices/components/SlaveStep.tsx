import { Alert, Button, Group, Skeleton, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import { usePerm } from '@/components/permission';
import { Trouble } from '@/components/Trouble';
import { protocolsQuery } from '../api';
import classes from '../devices.module.css';
import type { WizardDraft } from '../wizard';
import { duplicate, MAX_SLAVES, newSlave, without } from '../wizardSlaves';
import type { WizardSlave } from '../wizardSlaves';
import { SlaveCard } from './SlaveCard';

/** The devices behind the gateway: each with protocol, connection, and a point template or none. */
export function SlaveStep({ form }: { form: ApiForm<WizardDraft> }): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const { slaves } = fields.getValues();
  const { data: forms, error, refetch } = useQuery(protocolsQuery);
  const hasTemplates = usePerm('DeviceTemplate');
  if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
  if (forms === undefined) return <Skeleton h={160} />;
  const change = (next: readonly WizardSlave[]): void => {
    fields.clearErrors();
    fields.setFieldValue('slaves', next);
  };
  const first = forms.find(({ name }) => name === slaves.at(-1)?.protocol) ?? forms[0];
  return (
    <>
      <Text mb="md">{t('devices:wizard.pointsText')}</Text>
      {slaves.length === 0 ? (
        <Alert color="gray" mb="md" data-testid="wizard-no-slaves">
          {t('devices:wizard.noSlaves')}
        </Alert>
      ) : (
        <ol className={classes.slaves}>
          {slaves.map((slave, at) => (
            <SlaveCard
              key={slave.key}
              form={form}
              at={at}
              slave={slave}
              forms={forms}
              hasTemplates={hasTemplates}
              onChange={change}
              onDuplicate={() => change(duplicate(slaves, slave, forms))}
              onRemove={() => change(without(slaves, slave.key))}
            />
          ))}
        </ol>
      )}
      <Group mt="md">
        <Button
          variant="light"
          leftSection={<IconPlus size={16} aria-hidden />}
          disabled={first === undefined || slaves.length >= MAX_SLAVES}
          onClick={() => first !== undefined && change([...slaves, newSlave(slaves, first, forms)])}
          data-testid="wizard-add-slave"
        >
          {t('devices:wizard.addSlave')}
        </Button>
        {slaves.length >= MAX_SLAVES ? (
          <Text size="sm" c="dimmed">
            {t('devices:wizard.most', { most: MAX_SLAVES })}
          </Text>
        ) : null}
      </Group>
    </>
  );
}
