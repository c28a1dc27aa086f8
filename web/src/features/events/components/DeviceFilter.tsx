import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { SEARCH_DEBOUNCE_MS, useDebounced } from '@/lib/useDebounced';
import { devicesQuery, deviceTitleQuery } from '../api';

interface Props {
  /** Number of a gateway, or ''. */
  value: string;
  onChange: (value: string | undefined) => void;
}

/** One gateway out of those that the user sees, as a filter of a list. */
export function DeviceFilter({ value, onChange }: Props): ReactElement {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(false);
  const [typed, setTyped] = useState('');
  const isNumber = /^[1-9]\d{0,9}$/.test(value);
  const { data: title = value } = useQuery({
    ...deviceTitleQuery(Number(value)),
    enabled: isNumber,
    meta: { errorInPlace: true },
  });
  const search = useDebounced(typed === title ? '' : typed.trim(), SEARCH_DEBOUNCE_MS);
  const { data: devices = [], isFetching } = useQuery({ ...devicesQuery(search), enabled: opened });
  const data =
    value === '' || devices.some((choice) => choice.value === value)
      ? [...devices]
      : [{ value, label: title }, ...devices];
  return (
    <Select
      aria-label={t('events:filter.device')}
      placeholder={t('events:filter.device')}
      data={data}
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? undefined)}
      searchable
      onSearchChange={setTyped}
      onDropdownOpen={() => setOpened(true)}
      onDropdownClose={() => setOpened(false)}
      filter={({ options }) => options}
      nothingFoundMessage={isFetching ? t('base:loading') : t('base:table.noMatch')}
      clearable
      w={{ base: '100%', sm: 180 }}
      data-testid="filter-device"
    />
  );
}
