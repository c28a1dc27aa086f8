import { Button, Group, Select, Stack, Switch, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormFoot } from '@/components/form/FormFoot';
import { NumberField } from '@/components/form/NumberField';
import { useApiForm } from '@/components/form/useApiForm';
import { useTab } from '@/lib/tab';
import { TRIGGERS } from '../api';
import type { TriggerBody, TriggerRow } from '../api';
import { bodyOf, formPath, newRule, problems } from '../draft';
import type { Draft } from '../draft';
import { movedOf } from '../moved';
import type { Moved } from '../moved';
import { MovedDialog } from './MovedDialog';
import { RuleFields } from './RuleFields';
import { TriggerHead } from './TriggerHead';

const LIST = '/alarm/trigger';
const MAX_RULES = 20;
const LONGEST_S = 86_400;

interface Props {
  title: string;
  values: Draft;
  warnings?: ReactElement;
  /** moved: what it is to take the place of, after it was refused for that. */
  save: (body: TriggerBody, moved: Moved | null) => Promise<TriggerRow>;
  /** Begin anew with what is there. */
  onReload?: () => void;
}

/** A trigger with all of its rules. Saved or given up, its page closes. */
export function TriggerForm({ title, values, warnings, save, onReload }: Props): ReactElement {
  const { t } = useTranslation();
  const { leave } = useTab();
  const cache = useQueryClient();
  const [moved, setMoved] = useState<Moved | null>(null);
  const replaced = useRef<Moved | null>(null);
  const form = useApiForm<Draft, TriggerRow>({
    values,
    validate: (draft) =>
      Object.fromEntries(Object.entries(problems(draft)).map(([path, what]) => [path, t(`triggers:wrong.${what}`)])),
    names: formPath,
    save: (draft) =>
      save(bodyOf(draft), replaced.current).catch((error: unknown) => {
        setMoved(movedOf(error));
        throw error;
      }),
    onSaved: () => {
      void cache.invalidateQueries({ queryKey: TRIGGERS });
      leave(LIST);
    },
  });
  const { fields } = form;
  const { rules, type } = fields.getValues();
  return (
    <form onSubmit={form.submit} noValidate>
      <Stack>
        <TriggerHead title={title} />
        {warnings}
        <Group align="flex-start" grow>
          <TextInput
            label={t('triggers:field.title')}
            required
            maxLength={100}
            data-autofocus
            data-testid="trigger-title"
            {...fields.getInputProps('title')}
          />
          <Select
            label={t('triggers:field.type')}
            data={['1', '2'].map((value) => ({ value, label: t(`triggers:type.${value}`) }))}
            allowDeselect={false}
            data-testid="trigger-type"
            {...fields.getInputProps('type')}
          />
          {type === '2' ? (
            <NumberField
              label={t('triggers:field.interval')}
              min={1}
              max={LONGEST_S}
              allowDecimal={false}
              suffix=" s"
              required
              {...fields.getInputProps('interval_s')}
            />
          ) : null}
        </Group>
        <Switch label={t('triggers:field.enabled')} {...fields.getInputProps('enabled', { type: 'checkbox' })} />
        {rules.map((rule, at) => (
          <RuleFields
            key={rule.key}
            form={form}
            at={at}
            rule={rule}
            onRemove={rules.length === 1 ? undefined : () => fields.removeListItem('rules', at)}
          />
        ))}
        <Group>
          <Button
            variant="default"
            leftSection={<IconPlus size={16} stroke={1.6} />}
            disabled={rules.length >= MAX_RULES}
            onClick={() => fields.insertListItem('rules', newRule('', rules.at(-1)?.conditions.at(0)?.device ?? null))}
            data-testid="add-rule"
          >
            {t('triggers:addRule')}
          </Button>
        </Group>
        <FormFoot form={form} disabled={false} testId="trigger-save">
          <Button variant="subtle" onClick={() => leave(LIST)}>
            {t('base:action.cancel')}
          </Button>
        </FormFoot>
        <MovedDialog
          moved={moved}
          onClose={() => setMoved(null)}
          onReload={() => {
            form.release();
            onReload?.();
          }}
          onOver={() => {
            replaced.current = moved;
            setMoved(null);
            form.submit();
          }}
        />
      </Stack>
    </form>
  );
}
