import { SimpleGrid } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { NumberField } from '@/components/form/NumberField';
import { DEFAULTS } from '../model/gateway';
import type { GatewayEdit } from '../model/gateway';
import type { Fields } from '../model/lines';

type Defaults = GatewayEdit['defaults'];

interface Props {
  defaults: Defaults;
  /** undefined: they are only shown. */
  onChange: ((defaults: Defaults) => void) | undefined;
}

/** What holds for ports and slaves of a gateway template that do not say otherwise. */
export default function DefaultFields({ defaults, onChange }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} p="md">
      {DEFAULTS.map(([of, field, min, max]) => {
        const fields = (defaults[of] ?? {}) as Fields;
        const put = (value: string | number): void => {
          const { [field]: _, ...rest } = fields;
          const next = typeof value === 'number' ? { ...rest, [field]: value } : rest;
          onChange?.({ ...defaults, [of]: next });
        };
        return (
          <NumberField
            key={field}
            label={t(`templates:field.${field}`)}
            description={t(`templates:defaultOf.${of}`)}
            value={(fields[field] as number | undefined) ?? ''}
            min={min}
            max={max}
            step={field === 'storage_cycle_s' ? 10 : 1}
            allowDecimal={false}
            disabled={onChange === undefined}
            onChange={put}
            data-testid={`default-${field}`}
          />
        );
      })}
    </SimpleGrid>
  );
}
