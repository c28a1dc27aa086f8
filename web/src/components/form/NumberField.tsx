import { NumberInput } from '@mantine/core';
import type { NumberInputProps } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { rangeText } from './range';

type Props = Omit<NumberInputProps, 'clampBehavior' | 'min' | 'max' | 'value'> & { min?: number; max?: number; value?: number | string };

/** A number as it was typed: what is beyond its limits is told at the field, never put right in silence. */
export function NumberField({ error, onFocus, onBlur, ...input }: Props): ReactElement {
  const [typing, setTyping] = useState(false);
  return (
    <NumberInput
      {...input}
      clampBehavior="none"
      error={error || (typing ? null : rangeText(input.value, input.min, input.max))}
      onFocus={(event) => {
        setTyping(true);
        onFocus?.(event);
      }}
      onBlur={(event) => {
        setTyping(false);
        onBlur?.(event);
      }}
    />
  );
}
