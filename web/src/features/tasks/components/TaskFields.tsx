import { Button, Fieldset, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import { newAction } from '../draft';
import type { Draft } from '../draft';
import { ActionFields } from './ActionFields';
import { NextRuns } from './NextRuns';
import { ScheduleFields } from './ScheduleFields';

const MAX_ACTIONS = 20;

/** The inputs of a timed task: when it runs, and what it does. */
export default function TaskFields({ form }: { form: ApiForm<Draft> }): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const draft = fields.getValues();
  return (
    <>
      <TextInput
        label={t('tasks:field.title')}
        required
        maxLength={100}
        data-autofocus
        data-testid="task-title"
        {...fields.getInputProps('title')}
      />
      <Fieldset legend={t('tasks:field.plan')}>
        <Stack gap="xs">
          <ScheduleFields form={form} />
          <NextRuns draft={draft} />
        </Stack>
      </Fieldset>
      <Fieldset legend={t('tasks:field.actions')}>
        <Stack gap="sm">
          {draft.actions.map((action, at) => (
            <ActionFields
              key={action.key}
              form={form}
              at={at}
              action={action}
              onRemove={draft.actions.length > 1 ? () => fields.removeListItem('actions', at) : undefined}
            />
          ))}
          {fields.errors.actions === undefined ? null : (
            <Text size="xs" c="red">
              {fields.errors.actions}
            </Text>
          )}
          <Button
            variant="default"
            leftSection={<IconPlus size={16} stroke={1.6} />}
            onClick={() => fields.insertListItem('actions', newAction())}
            disabled={draft.actions.length >= MAX_ACTIONS}
            data-testid="task-add-action"
          >
            {t('tasks:addAction')}
          </Button>
        </Stack>
      </Fieldset>
      <Switch label={t('tasks:field.enabled')} {...fields.getInputProps('enabled', { type: 'checkbox' })} />
    </>
  );
}
