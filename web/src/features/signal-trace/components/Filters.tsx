import { Group, Select, Switch } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FilterSelect } from '@/components/FilterSelect';
import { SearchBox } from '@/components/SearchBox';
import { KINDS } from '../filters';
import type { TraceFilters } from '../filters';

const WIDTH = 170;

interface Props {
  filters: TraceFilters;
  onChange: (filters: TraceFilters) => void;
  sources: readonly string[];
  devices: readonly string[];
}

/** Which of the lines are wanted; they are chosen here, the gateway sends all. */
export function Filters({ filters, onChange, sources, devices }: Props): ReactElement {
  const { t } = useTranslation();
  const set = (part: Partial<TraceFilters>): void => onChange({ ...filters, ...part });
  const named = (names: readonly string[]): { value: string; label: string }[] =>
    names.map((value) => ({ value, label: value }));
  return (
    <Group gap={8}>
      <SearchBox
        value={filters.text}
        onChange={(text) => set({ text: text ?? '' })}
        label={t('signal-trace:filter.text')}
        testId="strace-search"
        w={220}
      />
      <Select
        aria-label={t('signal-trace:filter.kind')}
        placeholder={t('signal-trace:filter.kind')}
        data={KINDS.map((value) => ({ value, label: t(`signal-trace:kind.${value}`) }))}
        value={filters.kind === '' ? null : filters.kind}
        onChange={(kind) => set({ kind: kind ?? '' })}
        clearable
        size="sm"
        w={WIDTH}
        data-testid="strace-kind"
      />
      <FilterSelect
        value={filters.source}
        onChange={(source) => set({ source: source ?? '' })}
        rows={named(sources)}
        label={t('signal-trace:filter.source')}
        placeholder={t('signal-trace:filter.source')}
        w={WIDTH}
        testId="strace-source"
      />
      <FilterSelect
        value={filters.device}
        onChange={(device) => set({ device: device ?? '' })}
        rows={named(devices)}
        label={t('signal-trace:filter.device')}
        placeholder={t('signal-trace:filter.device')}
        w={WIDTH}
        testId="strace-device"
      />
      <Select
        aria-label={t('signal-trace:filter.direction')}
        placeholder={t('signal-trace:filter.direction')}
        data={(['sent', 'received'] as const).map((value) => ({ value, label: t(`signal-trace:direction.${value}`) }))}
        value={filters.direction === '' ? null : filters.direction}
        onChange={(direction) => set({ direction: direction ?? '' })}
        clearable
        size="sm"
        w={130}
        data-testid="strace-direction"
      />
      <Switch
        label={t('signal-trace:filter.errors')}
        checked={filters.isErrorsOnly}
        onChange={(event) => set({ isErrorsOnly: event.currentTarget.checked })}
        data-testid="strace-errors"
      />
    </Group>
  );
}
