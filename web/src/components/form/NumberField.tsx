import { NumberInput } from '@mantine/core';
import type { NumberInputProps } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { floatOf, rangeText } from './range';

type Props = Omit<NumberInputProps, 'clampBehavior' | 'min' | 'max' | 'value'> & {
  min?: number;
  max?: number;
  value?: number | string;
};

/** A number as it was typed, a float or nothing once the field is left: what is beyond its limits is told at the field, never put right in silence. */
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
        const float = floatOf(input.value);
        if (float !== input.value) input.onChange?.(float);
        onBlur?.(event);
      }}
    />
  );
}
