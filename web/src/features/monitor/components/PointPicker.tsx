import { MultiSelect } from '@mantine/core';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { DataSource } from '../api';
import { MAX_SERIES } from '@/blocks/history/series';

interface Props {
  sources: readonly DataSource[];
  chosen: readonly number[];
  onChange: (dsids: number[]) => void;
}

/** Points by slave, searchable; as many as there are line colours. */
export function PointPicker({ sources, chosen, onChange }: Props): ReactElement {
  const { t } = useTranslation();
  const data = useMemo(
    () =>
      [...Map.groupBy(sources, (source) => source.slave_title)].map(([group, points]) => ({
        group,
        items: points.map((point) => ({
          value: String(point.dsid),
          label: point.unit === '' ? point.ds_title : `${point.ds_title} (${point.unit})`,
        })),
      })),
    [sources],
  );
  return (
    <MultiSelect
      aria-label={t('monitor:history.points')}
      placeholder={chosen.length === 0 ? t('monitor:history.points') : undefined}
      data={data}
      value={chosen.map(String)}
      onChange={(values) => onChange(values.map(Number))}
      maxValues={MAX_SERIES}
      searchable
      hidePickedOptions
      nothingFoundMessage={t('monitor:history.noPoint')}
      maxDropdownHeight={320}
      size="sm"
      flex="1 1 280px"
      data-testid="point-picker"
    />
  );
}

/** Chosen points of an address; the first numeric one when there is none. */
export function chosenPoints(text: string | undefined, sources: readonly DataSource[]): DataSource[] {
  const wanted = (text ?? '').split(',').map(Number);
  const matches = wanted
    .map((dsid) => sources.find((source) => source.dsid === dsid))
    .filter((source): source is DataSource => source !== undefined)
    .slice(0, MAX_SERIES);
  if (matches.length > 0 || text !== undefined) return matches;
  return sources.filter((source) => source.ds_type === 'num').slice(0, 1);
}
