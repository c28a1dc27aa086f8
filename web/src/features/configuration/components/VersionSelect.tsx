import { Select } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/time';
import type { ConfigurationState, Version } from '../api';
import { short } from '../deployment';

interface Props {
  label: string;
  state: ConfigurationState;
  value: string | null;
  onChange: (hash: string) => void;
}

/** Choose a version by what a person knows of it: what it is now, its note, its author, its time. */
export function VersionSelect({ label, state, value, onChange }: Props): ReactElement {
  const { t } = useTranslation();
  const name = (version: Version): string => {
    const is =
      version.hash === state.running?.hash
        ? t('configuration:is.running')
        : version.hash === state.draft?.hash
          ? t('configuration:is.draft')
          : '';
    const about = [
      is,
      version.note || version.author || t(`configuration:origin.${version.origin}`),
      formatDateTime(version.created_ms).slice(5, 16),
    ];
    return `${short(version.hash)} · ${about.filter(Boolean).join(' · ')}`;
  };
  const data = state.versions.map((version) => ({ value: version.hash, label: name(version) }));
  const isUnlisted = value !== null && !data.some((option) => option.value === value);
  return (
    <Select
      aria-label={label}
      placeholder={label}
      data={isUnlisted ? [{ value, label: short(value) }, ...data] : data}
      value={value}
      onChange={(hash) => hash !== null && onChange(hash)}
      allowDeselect={false}
      searchable
      w={340}
      maw="100%"
      maxDropdownHeight={320}
    />
  );
}
