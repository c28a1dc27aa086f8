import { NumberInput, SimpleGrid } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { GatewayEdit } from '../model/gateway';
import type { Fields } from '../model/lines';

type Defaults = GatewayEdit['defaults'];

interface Props {
  defaults: Defaults;
  /** undefined: they are only shown. */
  onChange: ((defaults: Defaults) => void) | undefined;
}

/** What they are the defaults of, the field, and its least value. */
const DEFAULTS = [
  ['port', 'capture_cycle_ms', 10], ['port', 'min_interval_ms', 0], ['slave', 'response_timeout_ms', 10], ['slave', 'retries', 0], ['slave', 'storage_cycle_s', 0],
] as const;

/** What holds for ports and slaves of a gateway template that do not say otherwise. */
export default function DefaultFields({ defaults, onChange }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} p="md">
      {DEFAULTS.map(([of, field, min]) => {
        const fields = (defaults[of] ?? {}) as Fields;
        const put = (value: string | number): void => {
          const { [field]: _, ...rest } = fields;
          const next = typeof value === 'number' ? { ...rest, [field]: value } : rest;
          onChange?.({ ...defaults, [of]: next });
        };
        return (
          <NumberInput
            key={field}
            label={t(`templates:field.${field}`)}
            description={t(`templates:defaultOf.${of}`)}
            value={(fields[field] as number | undefined) ?? ''}
            min={min}
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
