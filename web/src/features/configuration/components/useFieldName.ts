import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

const NAMED = new Set([
  'title',
  'enable',
  'baud',
  'parity',
  'data_bits',
  'stop_bits',
  'device',
  'host',
  'port',
  'capture_cycle_ms',
  'min_interval_ms',
  'protocol',
  'address',
  'response_timeout_ms',
  'retries',
  'storage_cycle_s',
  'rw',
  'data_type',
  'unit',
  'ratio',
  'bias',
  'tofixed',
  'record',
  'deadband',
  'capture_freq',
  'formula',
  'script',
  'min',
  'max',
  'url',
  'retention_days',
  'max_mb',
  'text',
  'interval_s',
  'power',
  'unit_id',
]);

/** What a field is called in the user's language; null for one that is shown by its own name only. */
export function useFieldName(): (field: string) => string | null {
  const { t } = useTranslation();
  return useCallback(
    (field: string) => {
      const last = field.slice(field.lastIndexOf('.') + 1);
      return NAMED.has(last) ? t(`configuration:field.${last}`) : null;
    },
    [t],
  );
}
