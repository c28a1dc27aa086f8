import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { SEARCH_DEBOUNCE_MS, useDebounced } from '@/lib/useDebounced';

interface Props {
  value: string;
  /** Called with the trimmed text, 300 ms after the last key. */
  onChange: (search: string | undefined) => void;
  label: string;
  testId?: string;
  w?: number | string;
}

export function SearchBox({ value, onChange, label, testId = 'search', w }: Props): ReactElement {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(value);
  const settled = useDebounced(typed, SEARCH_DEBOUNCE_MS).trim();
  const [reported, setReported] = useState(value);
  if (value !== reported) {
    // The address changed by other means: a link, 'clear', the browser's back.
    setReported(value);
    if (value !== typed.trim()) setTyped(value);
  }
  useEffect(() => {
    if (settled === typed.trim() && settled !== value) onChange(settled || undefined);
    // Only a settled text may change the address.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [settled]);
  return (
    <TextInput
      placeholder={label}
      aria-label={label}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      leftSection={<IconSearch size={16} />}
      rightSection={
        typed === '' ? null : <CloseButton size={26} aria-label={t('base:table.clear')} onClick={() => setTyped('')} />
      }
      size="sm"
      data-search-field
      w={w ?? { base: '100%', sm: 260 }}
      data-testid={testId}
    />
  );
}
