import { ActionIcon, ColorInput, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { AlarmLevelTag } from '@/blocks/alarms/AlarmLevelTag';
import { NumberField } from '@/components/form/NumberField';
import type { ApiForm } from '@/components/form/useApiForm';
import { CUSTOM_ABOVE } from '@/lib/alarmTypes';
import type { AlarmLevel } from '@/lib/alarmTypes';
import type { LevelUses } from '../api';
import { legibilityOf } from '../levels';
import classes from '../platform.module.css';

/** key: identity of a row, whatever is typed into it. */
export type LevelDraft = AlarmLevel & { key: number };
export type LevelsDraft = { levels: LevelDraft[] };

const SWATCHES = ['#c92a2a', '#e8590c', '#f08c00', '#ffd43b', '#2f9e44', '#1971c2', '#6741d9', '#495057'];

interface Props {
  form: ApiForm<LevelsDraft>;
  at: number;
  level: LevelDraft;
  /** What uses the level as it is stored; undefined for nothing. */
  uses: LevelUses | undefined;
  disabled: boolean;
}

/** A level of the platform's own, with its mark and how well that can be read. */
export function LevelRow({ form, at, level, uses, disabled }: Props): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const legible = legibilityOf(level.color);
  const name = level.title || `#${at + 1}`;
  const words =
    uses === undefined
      ? ''
      : t('platform:levels.uses', {
          rules: t('platform:levels.rules', { count: uses.rules }),
          alarms: t('platform:levels.alarms', { count: uses.alarms }),
        });
  return (
    <li className={classes.level} data-testid="level-row">
      <NumberField
        label={t('platform:levels.id')}
        min={1}
        max={9999}
        allowDecimal={false}
        hideControls
        disabled={disabled || uses !== undefined}
        data-testid="level-id"
        {...fields.getInputProps(`levels.${at}.id`)}
        onChange={(value) => fields.setFieldValue(`levels.${at}.id`, Number(value))}
      />
      <TextInput
        label={t('platform:levels.title')}
        maxLength={50}
        disabled={disabled}
        data-testid="level-title"
        {...fields.getInputProps(`levels.${at}.title`)}
      />
      <ColorInput
        label={t('platform:levels.color')}
        swatches={SWATCHES}
        withEyeDropper={false}
        disabled={disabled}
        data-testid="level-color"
        {...fields.getInputProps(`levels.${at}.color`)}
      />
      <div className={classes.levelPreview}>
        <AlarmLevelTag type={CUSTOM_ABOVE + 1} levels={[{ ...level, id: CUSTOM_ABOVE + 1 }]} />
        <span className={classes.small} aria-live="polite" data-testid="level-legible">
          {legible === null
            ? ''
            : t('platform:levels.contrast', { text: t(`platform:levels.${legible.text}`), ratio: legible.ratio })}
          {legible?.isAdjusted === true ? ` ${t('platform:levels.adjusted')}` : ''}
        </span>
        <span className={classes.small} data-testid="level-uses">
          {words || t('platform:levels.unused')}
        </span>
      </div>
      <ActionIcon
        variant="subtle"
        color="red"
        size={32}
        disabled={disabled || uses !== undefined}
        onClick={() => fields.removeListItem('levels', at)}
        aria-label={`${t('base:row.remove')}: ${name}`}
        title={words === '' ? t('base:row.remove') : t('platform:levels.inUse', { uses: words })}
        data-testid="level-remove"
      >
        <IconTrash size={16} stroke={1.6} />
      </ActionIcon>
    </li>
  );
}
