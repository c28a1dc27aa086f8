import { TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { SEARCH_DEBOUNCE_MS, useDebounced } from '@/lib/useDebounced';

const NAME = /^[\w-]{1,64}$/;

/** The slave that gets the points, by its name in each gateway; told when it is a name and typing has paused. */
export function SlaveField({ value, onChange }: { value: string; onChange: (slave: string) => void }): ReactElement {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(value);
  const settled = useDebounced(typed.trim(), SEARCH_DEBOUNCE_MS);
  const name = NAME.test(settled) ? settled : '';
  useEffect(() => onChange(name), [name, onChange]);
  return (
    <TextInput
      label={t('templates:apply.slave')}
      description={t('templates:apply.slaveHint')}
      error={settled !== '' && name === '' ? t('base:point.fault.name') : undefined}
      value={typed}
      maxLength={64}
      onChange={(event) => setTyped(event.currentTarget.value)}
      data-testid="apply-slave"
    />
  );
}
