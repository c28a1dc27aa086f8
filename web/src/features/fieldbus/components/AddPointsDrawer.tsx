import { MultiSelect, Select, Switch } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '@/components/form/FormDrawer';
import { NumberField } from '@/components/form/NumberField';
import { INTERNAL_SLAVE } from '../api';
import type { SavedSection, SlaveDraft } from '../api';
import { ADDRESSES, AREAS, behindAll, keyOf, proposedRows, WRITABLE_AREAS } from '../model/registers';
import type { PointFacts } from '../model/registers';
import type { Broken, Values } from '../model/sections';
import classes from '../fieldbus.module.css';
import { ChangedNotice } from './ChangedNotice';
import { usePointOptions } from './usePointOptions';
import { useSectionForm } from './useSectionForm';

interface Props {
  deviceId: number;
  draft: SlaveDraft;
  points: readonly PointFacts[];
  onSaved: (saved: SavedSection<SlaveDraft>) => void;
  onClose: () => void;
}

const AREA = '4X';

/** Several points at once, one behind the other where nothing lies yet. */
export default function AddPointsDrawer({ deviceId, draft, points, onSaved, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const taken = new Set(draft.points.map(keyOf));
  const byKey = new Map(points.map((point) => [keyOf(point), point]));
  const options = usePointOptions(points.filter((point) => !taken.has(keyOf(point))));
  const rowsOf = (now: SlaveDraft, values: Values): ReturnType<typeof proposedRows> => {
    const chosen = (values.points as readonly string[]).flatMap((key) => byKey.get(key) ?? []);
    return proposedRows(chosen, now.points, String(values.area), Number(values.offset), values.writable === true);
  };
  const broken = (values: Values): Record<string, Broken> => {
    if ((values.points as readonly string[]).length === 0) return { points: { rule: 'required' } };
    if (values.offset === '') return { offset: { rule: 'required' } };
    return rowsOf(draft, values) === null ? { offset: { rule: 'beyond', args: { limit: ADDRESSES } } } : {};
  };
  const { form, changed, overwrite, input } = useSectionForm({
    section: INTERNAL_SLAVE,
    deviceId,
    draft,
    values: { points: [], area: AREA, offset: behindAll(draft.points, AREA), writable: false },
    broken,
    change: (now, values) => {
      const known = new Set(now.points.map(keyOf));
      const made = rowsOf(now, values)?.filter((row) => !known.has(keyOf(row))) ?? [];
      return { ...now, internal_slave: now.internal_slave ?? {}, points: [...now.points, ...made] };
    },
    placeOf: () => null,
    onSaved,
    onClose,
  });
  const values = form.fields.getValues();
  const rows = broken(values).points === undefined ? (rowsOf(draft, values) ?? []) : [];
  const [chosen, area, offset, writable] = ['points', 'area', 'offset', 'writable'].map((name) => {
    const { dataPath, ...rest } = input(name);
    return { ...rest, 'data-path': dataPath };
  }) as [Shared, Shared, Shared, Shared];
  return (
    <FormDrawer title={t('fieldbus:map.add')} form={form} onClose={onClose} save={t('fieldbus:draft.save')} size={480}>
      {changed === null ? null : (
        <ChangedNotice
          changed={changed}
          onOverwrite={overwrite}
          onDiscard={() => {
            form.release();
            onClose();
          }}
        />
      )}
      <MultiSelect
        {...chosen}
        label={t('fieldbus:map.points')}
        data={options}
        value={chosen.value as string[]}
        searchable
        limit={50}
        hidePickedOptions
        data-testid="field-points"
      />
      <Select
        {...area}
        label={t('fieldbus:map.area')}
        data={AREAS.map((value) => ({ value, label: t(`fieldbus:choice.reg_type.${value}`) }))}
        value={String(area.value)}
        onChange={(next) => {
          area.onChange(next);
          offset.onChange(behindAll(draft.points, String(next)));
        }}
        allowDeselect={false}
        data-testid="field-area"
      />
      <NumberField
        {...offset}
        label={t('fieldbus:map.from')}
        description={t('fieldbus:map.fromHint')}
        value={offset.value as number | string}
        min={0}
        max={ADDRESSES - 1}
        data-testid="field-from"
      />
      {WRITABLE_AREAS.has(String(area.value)) ? (
        <Switch
          label={t('fieldbus:map.writable')}
          description={t('fieldbus:map.writableHint')}
          checked={writable.value === true}
          onChange={(event) => writable.onChange(event.currentTarget.checked)}
          data-testid="field-writable"
        />
      ) : null}
      {rows.length === 0 ? null : (
        <ul className={classes.faults} data-testid="proposed-rows">
          {rows.map((row) => (
            <li key={keyOf(row)}>
              {`${String(row.reg_type)} ${String(row.offset)}`} {keyOf(row)} {String(row.data_type ?? '')}
            </li>
          ))}
        </ul>
      )}
    </FormDrawer>
  );
}

type Shared = Omit<ReturnType<ReturnType<typeof useSectionForm>['input']>, 'dataPath'> & { 'data-path': string };
