import {
  ActionIcon,
  Alert,
  Autocomplete,
  Checkbox,
  Group as Line,
  MultiSelect,
  Select,
  Stack,
  Switch,
} from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { changeable, EVERY } from '../model/plans';
import type { ChangeDraft } from '../model/plans';
import type { Field, Group } from '../model/schema';
import { inputValue } from '../model/values';
import type { Entry } from '../model/values';
import classes from '../parameters.module.css';
import { useWords } from '../useWords';
import { FieldInput } from './FieldInput';
import { ListField } from './RowFields';

interface Props {
  groups: readonly Group[];
  change: ChangeDraft;
  /** Place in the form, such as changes.0. */
  path: string;
  errors: Readonly<Record<string, ReactNode>>;
  onChange: (change: ChangeDraft) => void;
  onRemove: (() => void) | undefined;
  number: number;
}

/** One change of a plan: of which group and rows, and which fields become what. */
export function ChangeFields({ groups, change, path, errors, onChange, onRemove, number }: Props): ReactElement {
  const { t } = useTranslation();
  const words = useWords();
  const group = groups.find(({ name }) => name === change.group);
  const chosen = group === undefined ? [] : changeable(group).filter(({ name }) => change.fields.includes(name));
  const choose = (names: string[]): void => {
    const added = (group?.fields ?? []).filter(({ name }) => names.includes(name) && !change.fields.includes(name));
    const values = Object.fromEntries(added.map((field) => [field.name, inputValue(field, undefined)]));
    onChange({
      ...change,
      fields: names,
      usual: change.usual.filter((name) => names.includes(name)),
      values: { ...change.values, ...values },
    });
  };
  const label = t('parameters:plan.change', { number });
  return (
    <section className={classes.change} aria-label={label} data-testid="plan-change">
      <Line justify="space-between" mb={4}>
        <strong>{label}</strong>
        {onRemove === undefined ? null : (
          <ActionIcon
            variant="subtle"
            color="red"
            onClick={onRemove}
            aria-label={t('parameters:plan.removeChange', { number })}
            title={t('parameters:plan.removeChange', { number })}
          >
            <IconTrash size={16} />
          </ActionIcon>
        )}
      </Line>
      <Stack gap="sm">
        <Select
          label={t('parameters:plan.group')}
          data={groups.map(({ name, title }) => ({ value: name, label: words.label(title) }))}
          value={change.group === '' ? null : change.group}
          onChange={(name) =>
            onChange({
              group: name ?? '',
              row: (groups.find((each) => each.name === name)?.key.length ?? 0) > 0 ? EVERY : '',
              remove: false,
              fields: [],
              usual: [],
              values: {},
            })
          }
          error={errors[`${path}.group`]}
          allowDeselect={false}
          withAsterisk
          data-path={`${path}.group`}
          data-testid="change-group"
        />
        {group === undefined || group.key.length === 0 ? null : (
          <Autocomplete
            label={t('parameters:plan.row')}
            description={t('parameters:plan.rowHint')}
            data={[EVERY]}
            value={change.row}
            onChange={(row) => onChange({ ...change, row })}
            error={errors[`${path}.row`]}
            withAsterisk
            data-path={`${path}.row`}
            data-testid="change-row"
          />
        )}
        {group === undefined ? null : (
          <Switch
            label={t(group.key.length === 0 ? 'parameters:plan.unset' : 'parameters:plan.remove')}
            checked={change.remove}
            onChange={(event) => onChange({ ...change, remove: event.currentTarget.checked })}
          />
        )}
        {group === undefined || change.remove ? null : (
          <>
            <MultiSelect
              label={t('parameters:plan.fields')}
              data={changeable(group).map((field) => ({ value: field.name, label: words.label(field.label) }))}
              value={[...change.fields]}
              onChange={choose}
              error={errors[`${path}.fields`]}
              searchable
              hidePickedOptions
              withAsterisk
              data-path={`${path}.fields`}
              data-testid="change-fields"
            />
            {chosen.map((field) => (
              <ChosenField
                key={field.name}
                group={group}
                field={field}
                change={change}
                path={path}
                errors={errors}
                onChange={onChange}
              />
            ))}
          </>
        )}
      </Stack>
    </section>
  );
}

interface ChosenProps extends Pick<Props, 'change' | 'path' | 'errors' | 'onChange'> {
  group: Group;
  field: Field;
}

function ChosenField({ group, field, change, path, errors, onChange }: ChosenProps): ReactElement {
  const { t } = useTranslation();
  const words = useWords();
  const { name } = field;
  const isUsual = change.usual.includes(name);
  const place = `${path}.values.${name}`;
  const set = (value: unknown): void => onChange({ ...change, values: { ...change.values, [name]: value } });
  const toggle = (isOn: boolean): void =>
    onChange({ ...change, usual: isOn ? [...change.usual, name] : change.usual.filter((each) => each !== name) });
  const rules = Object.fromEntries(
    Object.entries(errors).flatMap(([at, error]) =>
      at.startsWith(`${path}.values.`) && typeof error === 'string' ? [[at.slice(path.length + 8), error]] : [],
    ),
  );
  return (
    <div>
      {isUsual ? (
        <Alert color="steel" p={8}>
          {t('parameters:plan.usual', { field: words.label(field.label) })}
        </Alert>
      ) : field.kind === 'entries' ? (
        <ListField
          group={group.name}
          field={field}
          entries={change.values[name] as readonly Entry[]}
          rules={rules}
          onChange={set}
        />
      ) : (
        <FieldInput
          group={group.name}
          field={field}
          path={place}
          value={change.values[name]}
          error={errors[place]}
          disabled={false}
          onChange={set}
        />
      )}
      {field.isRequired ? null : (
        <Checkbox
          mt={4}
          size="xs"
          label={t('parameters:plan.toUsual')}
          checked={isUsual}
          onChange={(event) => toggle(event.currentTarget.checked)}
        />
      )}
    </div>
  );
}
