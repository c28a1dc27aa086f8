import { Loader, MultiSelect } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { SEARCH_DEBOUNCE_MS, useDebounced } from '@/lib/useDebounced';
import type { Choice } from './AsyncPicker';

interface Props {
  label: string;
  description?: ReactNode;
  /** Chosen values, with their words: they need not be among those found. */
  value: readonly Choice[];
  onChange: (chosen: Choice[]) => void;
  /** Choices that have the text; called 300 ms after the last key, with the text trimmed. */
  load: (search: string, signal: AbortSignal) => Promise<readonly Choice[]>;
  /** Key of the query. */
  queryKey: readonly unknown[];
  /** What the field says while nothing is chosen. */
  placeholder?: string;
  error?: ReactNode;
  max: number;
  required?: boolean;
  testId?: string;
}

/** Several of many that are looked for in the cloud. */
export function AsyncMultiPicker(props: Props): ReactElement {
  const { value, onChange, load, queryKey, max, placeholder, testId, ...rest } = props;
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const [opened, setOpened] = useState(false);
  const search = useDebounced(typed.trim(), SEARCH_DEBOUNCE_MS);
  const query = useQuery({
    queryKey: [...queryKey, search],
    queryFn: ({ signal }) => load(search, signal),
    enabled: opened,
    placeholderData: keepPreviousData,
    meta: { errorInPlace: true },
  });
  const chosen = new Set(value.map((choice) => choice.value));
  const choices = [...value, ...(query.data ?? []).filter((choice) => !chosen.has(choice.value))];
  return (
    <MultiSelect
      data={choices.map((choice) => ({ value: choice.value, label: choice.label }))}
      value={value.map((choice) => choice.value)}
      onChange={(values) => onChange(choices.filter((choice) => values.includes(choice.value)))}
      searchable
      hidePickedOptions
      maxValues={max}
      searchValue={typed}
      onSearchChange={setTyped}
      onDropdownOpen={() => setOpened(true)}
      onDropdownClose={() => setOpened(false)}
      filter={({ options }) => options}
      placeholder={value.length === 0 ? placeholder : undefined}
      nothingFoundMessage={
        query.isFetching ? t('base:loading') : query.isError ? t('base:error.failed') : t('base:table.noMatch')
      }
      rightSection={query.isFetching ? <Loader size={16} /> : undefined}
      data-testid={testId}
      {...rest}
    />
  );
}
