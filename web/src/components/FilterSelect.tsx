import { Select } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

interface Props {
  /** '' is all. */
  value: string;
  onChange: (value: string | undefined) => void;
  /** Undefined while they are loaded. */
  rows: readonly { value: string; label: string }[] | undefined;
  label: string;
  placeholder: string;
  w: number | string | Record<string, number | string>;
  testId?: string;
}

/** A filter by one of what there is; not drawn when there is none. What is chosen and gone stays to be seen. */
export function FilterSelect({ value, onChange, rows, label, placeholder, w, testId }: Props): ReactElement | null {
  const { t } = useTranslation();
  if ((rows === undefined || rows.length === 0) && value === '') return null;
  const isGone = value !== '' && rows !== undefined && !rows.some((row) => row.value === value);
  return (
    <Select
      aria-label={label}
      placeholder={placeholder}
      data={isGone ? [...rows, { value, label: t('base:picker.unknown', { id: value }) }] : [...(rows ?? [])]}
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? undefined)}
      searchable
      clearable
      nothingFoundMessage={t('base:table.noMatch')}
      size="sm"
      w={w}
      data-testid={testId}
    />
  );
}
