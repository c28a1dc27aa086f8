import { Loader, Select } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { SEARCH_DEBOUNCE_MS, useDebounced } from '@/lib/useDebounced';

export interface Choice {
  value: string;
  label: string;
  /** Beside the label: type, parent ... */
  note?: string;
}

export interface AsyncPickerProps {
  label: string;
  /** In a bar beside buttons: the label stands in the field. */
  inBar?: boolean;
  /** Chosen value, with its words: it need not be among those found. */
  value: Choice | null;
  onChange: (choice: Choice | null) => void;
  /** Choices that have the text; called 300 ms after the last key, with the text trimmed. */
  load: (search: string, signal: AbortSignal) => Promise<readonly Choice[]>;
  /** Key of the query. */
  queryKey: readonly unknown[];
  error?: ReactNode;
  description?: ReactNode;
  /** Words for the note, where that is a code. */
  noteText?: (note: string) => string;
  /** What the field says while nothing is chosen. */
  placeholder?: string;
  /** Said in place of the choices when nothing is typed and there is none. */
  empty?: ReactNode;
  required?: boolean;
  clearable?: boolean;
  disabled?: boolean;
  testId?: string;
}

/** One of many that are looked for in the cloud: users, devices, projects. */
export function AsyncPicker(props: AsyncPickerProps): ReactElement {
  const {
    value,
    onChange,
    load,
    queryKey,
    label,
    inBar = false,
    noteText = (note) => note,
    empty,
    testId,
    ...rest
  } = props;
  const { t } = useTranslation();
  const [typed, setTyped] = useState(value?.label ?? '');
  const [opened, setOpened] = useState(false);
  // The words of the chosen one stand in the field: they are no search.
  const search = useDebounced(typed === value?.label ? '' : typed.trim(), SEARCH_DEBOUNCE_MS);
  const query = useQuery({
    queryKey: [...queryKey, search],
    queryFn: ({ signal }) => load(search, signal),
    enabled: opened,
    placeholderData: keepPreviousData,
  });
  const results = query.data ?? [];
  const choices =
    value === null || results.some((choice) => choice.value === value.value) ? results : [value, ...results];
  const notes = new Map(choices.map((choice) => [choice.value, choice.note ?? '']));
  return (
    <Select
      {...(inBar ? { 'aria-label': label, placeholder: label } : { label })}
      data={choices.map((choice) => ({ value: choice.value, label: choice.label }))}
      value={value?.value ?? null}
      onChange={(chosen) => onChange(choices.find((choice) => choice.value === chosen) ?? null)}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      onDropdownOpen={() => setOpened(true)}
      onDropdownClose={() => setOpened(false)}
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <span style={{ display: 'flex', justifyContent: 'space-between', gap: 12, flex: 1 }}>
          <span>{option.label}</span>
          <span style={{ color: 'var(--mantine-color-dimmed)' }}>{noteText(notes.get(option.value) ?? '')}</span>
        </span>
      )}
      nothingFoundMessage={
        query.isFetching
          ? t('base:loading')
          : query.isError
            ? t('base:error.failed')
            : empty !== undefined && query.data !== undefined && search === '' && typed.trim() === ''
              ? empty
              : t('base:table.noMatch')
      }
      rightSection={query.isFetching ? <Loader size={16} /> : undefined}
      data-testid={testId}
      {...rest}
    />
  );
}
