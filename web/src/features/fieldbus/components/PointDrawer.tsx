import { Alert, Select } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '@/components/form/FormDrawer';
import { INTERNAL_SLAVE } from '../api';
import type { SavedSection, SlaveDraft } from '../api';
import {
  BIT_AREAS,
  keyOf,
  mappingBroken,
  overlapsOf,
  referenceOf,
  widthOf,
  withoutForeign,
  WRITABLE_AREAS,
} from '../model/registers';
import type { PointFacts } from '../model/registers';
import { withRow } from '../model/rows';
import { brokenIn, fieldNamed, POINT_FIELDS, rowOf, valuesOf } from '../model/sections';
import type { Row, Values } from '../model/sections';
import { ChangedNotice } from './ChangedNotice';
import { SectionInput } from './SectionInput';
import { usePointOptions } from './usePointOptions';
import { useSectionForm } from './useSectionForm';

interface Props {
  deviceId: number;
  draft: SlaveDraft;
  row: Row;
  points: readonly PointFacts[];
  onSaved: (saved: SavedSection<SlaveDraft>) => void;
  onClose: () => void;
}

const FIELDS = new Map(POINT_FIELDS.map((field) => [field.name, field]));
const SECTION = 'internal_slave_points';
/** In the select for the point. */
const POINT = 'name';

/** Fields of a row that its area and type leave. */
function fieldsOf({ reg_type, data_type }: Values): readonly string[] {
  const isBit = BIT_AREAS.has(String(reg_type));
  const isText = !isBit && data_type === 'string';
  return [
    'reg_type',
    'offset',
    ...(isBit ? [] : ['data_type', ...(isText ? ['length'] : []), 'endian']),
    ...(isBit || isText ? [] : ['ratio', 'bias']),
    ...(WRITABLE_AREAS.has(String(reg_type)) ? ['writable'] : []),
  ];
}

/** One mapped point: in which registers a master finds it. */
export default function PointDrawer({ deviceId, draft, row, points, onSaved, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const [was, setWas] = useState(keyOf(row));
  const { form, changed, overwrite, input } = useSectionForm({
    section: INTERNAL_SLAVE,
    deviceId,
    draft,
    values: valuesOf(POINT_FIELDS, row),
    broken: (values) => ({ ...brokenIn(POINT_FIELDS, withoutForeign(values)), ...mappingBroken(values) }),
    change: (now, values) => ({
      ...now,
      points: withRow(now.points, was, rowOf(POINT_FIELDS, withoutForeign(values)), keyOf),
    }),
    placeOf: (path, now, values) => {
      const at = now.points.findIndex((each) => keyOf(each) === keyOf(values));
      const name = fieldNamed(path, SECTION, at);
      return name === 'slave' ? POINT : name !== null && FIELDS.has(name) ? name : null;
    },
    onSaved: (saved, values) => {
      setWas(keyOf(values));
      onSaved(saved);
    },
    onClose,
  });
  const values = form.fields.getValues();
  const own = rowOf(POINT_FIELDS, withoutForeign(values));
  const others = draft.points.filter((each) => keyOf(each) !== was);
  const taken = new Set(others.map(keyOf));
  const options = usePointOptions(points.filter((point) => !taken.has(keyOf(point))));
  const overlapping = values.offset === '' ? [] : (overlapsOf([...others, own]).get(own) ?? []);
  const last = Number(values.offset) + widthOf(own) - 1;
  const place =
    values.offset === ''
      ? undefined
      : t('fieldbus:map.takes', {
          first: referenceOf(String(values.reg_type), Number(values.offset)),
          last: referenceOf(String(values.reg_type), last),
        });
  const point = input(POINT);
  return (
    <FormDrawer
      title={t('fieldbus:map.edit', { name: keyOf(row) })}
      form={form}
      onClose={onClose}
      save={t('fieldbus:draft.save')}
      size={480}
    >
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
      <Select
        label={t('fieldbus:map.point')}
        data={
          options.some(({ value }) => value === keyOf(values))
            ? options
            : [{ value: keyOf(values), label: keyOf(values) }, ...options]
        }
        value={keyOf(values)}
        onChange={(key) => {
          const chosen = points.find((each) => keyOf(each) === key);
          if (chosen === undefined) return;
          form.fields.setFieldValue('slave', chosen.slave as never);
          point.onChange(chosen.name);
        }}
        error={point.error}
        data-path={point.dataPath}
        data-testid="field-point"
        searchable
        limit={50}
        allowDeselect={false}
        nothingFoundMessage={t('base:table.noMatch')}
      />
      {fieldsOf(values).map((name) => {
        const field = FIELDS.get(name);
        if (field === undefined) return null;
        const none = name === 'data_type' ? 'uint16' : undefined;
        const description = name === 'offset' ? place : undefined;
        return <SectionInput key={name} field={field} {...input(name)} none={none} description={description} />;
      })}
      {overlapping.length === 0 ? null : (
        <Alert color="yellow" role="status" data-testid="overlap-note">
          {t('fieldbus:map.overlaps', { names: overlapping.map(keyOf).join(', ') })}
        </Alert>
      )}
    </FormDrawer>
  );
}
