import { ActionIcon, Group } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ACTIONS } from '@/components/table/columns';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { BIT_AREAS, keyOf, referenceOf, widthOf } from '../model/registers';
import { POINT_FIELDS, valueOf } from '../model/sections';
import type { Row } from '../model/sections';
import classes from '../fieldbus.module.css';

interface Input {
  overlaps: ReadonlyMap<Row, readonly Row[]>;
  titles: ReadonlyMap<string, string>;
  /** Why nothing can be changed, in words; '' when it can. */
  hindrance: string;
  onEdit: (row: Row) => void;
  onRemove: (row: Row) => void;
}

const AT_WIDTH = 250;
const WIDTH = 140;

function placeOf(row: Row): string {
  const [area, offset] = [String(row.reg_type), Number(row.offset)];
  const last = offset + widthOf(row) - 1;
  const range = last === offset ? String(offset) : `${offset}–${last}`;
  return `${area} ${range} (${referenceOf(area, offset)})`;
}

function conversionOf(row: Row): string {
  const [ratio, bias] = [Number(row.ratio ?? 1), Number(row.bias ?? 0)];
  return ratio === 1 && bias === 0 ? '–' : `× ${ratio}${bias === 0 ? '' : ` + ${bias}`}`;
}

/** Columns of the mapped points. */
export function usePointColumns({ overlaps, titles, hindrance, onEdit, onRemove }: Input): readonly Column<Row>[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const namesOf = (row: Row): string | undefined => {
      const names = overlaps.get(row)?.map(keyOf).join(', ');
      return names === undefined ? undefined : t('fieldbus:map.overlaps', { names });
    };
    return [
      {
        id: 'address',
        title: t('fieldbus:column.address'),
        text: placeOf,
        value: (row) => `${String(row.reg_type)}${String(row.offset).padStart(5, '0')}`,
        cell: (row) => (
          <span title={namesOf(row)}>
            {placeOf(row)} {overlaps.has(row) ? <ToneText tone="bad">{t('fieldbus:map.overlap')}</ToneText> : null}
          </span>
        ),
        card: 'mark',
        width: AT_WIDTH,
      },
      {
        id: 'point',
        title: t('fieldbus:column.point'),
        text: keyOf,
        cell: (row) => (
          <span>
            {titles.get(keyOf(row))} <span className={classes.mono}>{keyOf(row)}</span>
          </span>
        ),
        fixed: true,
        card: 'title',
      },
      {
        id: 'type',
        title: t('fieldbus:column.type'),
        text: (row) =>
          BIT_AREAS.has(String(row.reg_type)) ? t('fieldbus:map.bit') : String(row.data_type ?? 'uint16'),
        cell: (row) =>
          BIT_AREAS.has(String(row.reg_type)) ? t('fieldbus:map.bit') : String(row.data_type ?? 'uint16'),
        card: 'fact',
        width: WIDTH,
      },
      {
        id: 'endian',
        title: t('fieldbus:column.endian'),
        text: (row) => String(valueOf(POINT_FIELDS, row, 'endian')),
        cell: (row) => (widthOf(row) < 2 ? '–' : String(valueOf(POINT_FIELDS, row, 'endian'))),
        card: 'fact',
        width: WIDTH,
      },
      {
        id: 'conversion',
        title: t('fieldbus:column.conversion'),
        text: conversionOf,
        cell: conversionOf,
        card: 'fact',
        width: WIDTH,
      },
      {
        id: 'access',
        title: t('fieldbus:column.access'),
        text: (row) => t(row.writable === true ? 'fieldbus:map.readWrite' : 'fieldbus:map.read'),
        cell: (row) => t(row.writable === true ? 'fieldbus:map.readWrite' : 'fieldbus:map.read'),
        card: 'fact',
        width: WIDTH,
      },
      {
        id: ACTIONS,
        title: t('fieldbus:column.actions'),
        width: 96,
        cell: (row) => (
          <Group gap={2} wrap="nowrap">
            <ActionIcon
              variant="subtle"
              aria-label={t('fieldbus:map.edit', { name: keyOf(row) })}
              title={hindrance || t('fieldbus:map.edit', { name: keyOf(row) })}
              disabled={hindrance !== ''}
              onClick={() => onEdit(row)}
              data-testid="mapped-edit"
            >
              <IconPencil size={16} />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              aria-label={t('fieldbus:map.remove', { name: keyOf(row) })}
              title={hindrance || t('fieldbus:map.remove', { name: keyOf(row) })}
              disabled={hindrance !== ''}
              onClick={() => onRemove(row)}
              data-testid="mapped-remove"
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        ),
      },
    ];
  }, [t, overlaps, titles, hindrance, onEdit, onRemove]);
}
