import { ActionIcon, Select, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { NumberField } from '@/components/form/NumberField';
import type { ApiForm } from '@/components/form/useApiForm';
import { CHANGE, COMPARISON, CONDITION_TYPES, hasDeadband, isRange, OPERATORS, TREND, UNCHANGED } from '../draft';
import type { ConditionDraft, Draft } from '../draft';
import classes from '../triggers.module.css';
import { SubjectFields } from './SubjectFields';

const LONGEST_S = 31 * 86_400;
const MAX_COUNT = 1000;

interface Props {
  form: ApiForm<Draft>;
  path: string;
  condition: ConditionDraft;
  /** None: the last one stays. */
  onRemove: (() => void) | undefined;
}

/** One condition as a sentence: of what, how, and since when it holds no more. */
export function ConditionFields({ form, path, condition, onRemove }: Props): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const number = (name: string) => ({ ...fields.getInputProps(`${path}.${name}`), 'data-testid': `${path}-${name}` });
  const { type, op } = condition;
  return (
    <div className={classes.condition} role="group" aria-label={t('triggers:condition')}>
      <div className={classes.fields}>
        <Select
          label={t('triggers:field.conditionType')}
          data={CONDITION_TYPES.map((value) => ({ value, label: t(`triggers:conditionType.${value}`) }))}
          allowDeselect={false}
          data-testid={`${path}-type`}
          {...fields.getInputProps(`${path}.type`)}
          onChange={(value) => {
            fields.setFieldValue(`${path}.type`, value);
            fields.setFieldValue(`${path}.subject`, null);
          }}
        />
        <SubjectFields form={form} path={path} condition={condition} />
        {type === COMPARISON ? (
          <Select
            label={t('triggers:field.operator')}
            data={OPERATORS.map((value) => ({ value, label: t(`triggers:operator.${value}`) }))}
            allowDeselect={false}
            data-testid={`${path}-op`}
            {...fields.getInputProps(`${path}.op`)}
          />
        ) : null}
        {type === COMPARISON && !isRange(op) ? (
          <NumberField label={t('triggers:field.threshold')} required {...number('threshold')} />
        ) : null}
        {type === COMPARISON && isRange(op) ? (
          <>
            <NumberField label={t('triggers:field.low')} required {...number('low')} />
            <NumberField label={t('triggers:field.high')} required {...number('high')} />
          </>
        ) : null}
        {type === UNCHANGED ? (
          <NumberField
            label={t('triggers:field.duration')}
            min={1}
            max={LONGEST_S}
            suffix=" s"
            required
            {...number('duration_s')}
          />
        ) : null}
        {type === TREND ? (
          <>
            <Select
              label={t('triggers:field.direction')}
              data={['up', 'down'].map((value) => ({ value, label: t(`triggers:direction.${value}`) }))}
              allowDeselect={false}
              {...fields.getInputProps(`${path}.direction`)}
            />
            <NumberField
              label={t('triggers:field.count')}
              description={t('triggers:field.countText')}
              min={2}
              max={MAX_COUNT}
              allowDecimal={false}
              required
              {...number('count')}
            />
          </>
        ) : null}
        {type === CHANGE || type === TREND ? (
          <NumberField
            label={t(type === CHANGE ? 'triggers:field.jump' : 'triggers:field.magnitude')}
            min={0}
            required
            {...number('magnitude')}
          />
        ) : null}
        {hasDeadband(condition) ? (
          <NumberField
            label={t('triggers:field.deadband')}
            description={t(type === UNCHANGED ? 'triggers:field.stillText' : 'triggers:field.deadbandText')}
            min={0}
            required
            {...number('deadband')}
          />
        ) : null}
      </div>
      {onRemove === undefined ? null : (
        <Tooltip label={t('triggers:removeCondition')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            onClick={onRemove}
            aria-label={t('triggers:removeCondition')}
            data-testid={`${path}-remove`}
          >
            <IconTrash size={16} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      )}
    </div>
  );
}
