import { Select } from '@mantine/core';
import type { SelectProps } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PRESET_TIMES_S, presetParts } from '@/lib/interval';

type Props = Omit<SelectProps, 'data' | 'value' | 'onChange'> & {
  /** Seconds; null for none of the choices. */
  value: number | null;
  onChange: (seconds: number) => void;
  /** Seconds: only choices from min to max. */
  min?: number;
  max?: number;
};

/** The preset times from 1 minute to 90 days, as far as they are allowed. */
export function PresetTimeSelect({ value, onChange, min = 0, max = Infinity, ...select }: Props): ReactElement {
  const { t } = useTranslation();
  const choices = PRESET_TIMES_S.filter((seconds) => seconds >= min && seconds <= max);
  return (
    <Select
      placeholder={t('base:interval.preset')}
      allowDeselect={false}
      {...select}
      data={choices.map((seconds) => {
        const { count, unit } = presetParts(seconds);
        return { value: String(seconds), label: t(`base:duration.${unit}`, { count }) };
      })}
      value={value !== null && choices.includes(value) ? String(value) : null}
      onChange={(chosen) => chosen !== null && onChange(Number(chosen))}
    />
  );
}
