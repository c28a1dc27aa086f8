import { TextInput } from '@mantine/core';
import type { TextInputProps } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { formatInterval, parseInterval } from '@/lib/interval';
import type { IntervalUnits } from '@/lib/interval';

type Props = Omit<TextInputProps, 'value' | 'defaultValue' | 'onChange' | 'min' | 'max'> & {
  /** Seconds; '' for none. */
  value: number | string;
  onChange: (seconds: number | '') => void;
  /** Seconds. */
  min?: number;
  max?: number;
  units?: IntervalUnits;
};

/** A number followed by m, h or d (and s where units say so); what is anything else is empty once the field is left. */
export function IntervalInput({
  value,
  onChange,
  min,
  max,
  units = 'mhd',
  error,
  onBlur,
  onFocus,
  ...input
}: Props): ReactElement {
  const { t } = useTranslation();
  const text = value === '' ? '' : formatInterval(Number(value), units);
  const [typed, setTyped] = useState<string | null>(null);
  const seconds = typed === null ? value : (parseInterval(typed, units) ?? '');
  const isBeyond = seconds !== '' && (Number(seconds) < (min ?? 0) || Number(seconds) > (max ?? Infinity));
  const range =
    isBeyond && typed === null
      ? t('base:interval.range', { min: formatInterval(min ?? 0, units), max: formatInterval(max ?? 0, units) })
      : null;
  return (
    <TextInput
      placeholder={t(`base:interval.${units}`)}
      {...input}
      value={typed ?? text}
      error={error || range}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        onChange(parseInterval(event.currentTarget.value, units) ?? '');
      }}
      onFocus={(event) => {
        setTyped(text);
        onFocus?.(event);
      }}
      onBlur={(event) => {
        setTyped(null);
        onBlur?.(event);
      }}
    />
  );
}
