import { Button, ColorInput, Drawer, Select, Switch, Text, TextInput } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { CellFault, Column } from '@/components/sheet/types';
import { allColumns } from '@/blocks/points/columns';
import type { Slave } from '@/blocks/points/columns';
import { DEFAULTS, nameOf } from '@/blocks/points/point';
import type { Point } from '@/blocks/points/point';
import type { Cell } from '@/blocks/points/point';
import { faultText } from '@/blocks/points/faultWords';
import { formulaOf, referencesOf } from '../model/script';
import classes from '../points.module.css';
import { AlarmLinkage } from './AlarmLinkage';
import { Trial } from './Trial';

/** Choices beyond these are searched. */
const SEARCHED = 8;

interface Props {
  deviceId: number;
  slave: string;
  hindrance: string;
  point: Point;
  about: Slave;
  cells: readonly Cell[];
  mayChange: boolean;
  /** Fields that differ from the template, in words. */
  notes?: ReadonlyMap<string, CellFault>;
  onChange: (point: Point) => void;
  onClose: () => void;
}

/** All fields of one row, the same as in the sheet: what is typed here stands there. */
export default function PointForm({
  deviceId,
  slave,
  hindrance,
  point,
  about,
  cells,
  mayChange,
  notes,
  onChange,
  onClose,
}: Props): ReactElement {
  const { t } = useTranslation();
  const groups = useMemo(() => allColumns(t, about), [t, about]);
  const formula = typeof point.fields.formula === 'string' ? point.fields.formula : '';
  return (
    <Drawer
      opened
      onClose={onClose}
      title={t('points:row.title', { name: nameOf(point) })}
      size={520}
      data-testid="point-form"
    >
      {groups.map(({ group, columns }) => (
        <fieldset key={group} className={classes.fields} disabled={!mayChange}>
          <legend>{t(`points:group.${group}`)}</legend>
          {group === 'alarm' ? <p className={classes.hint}>{t('points:alarmHint')}</p> : null}
          {group === 'collect' ? <p className={classes.hint}>{t('base:point.deadbandHint')}</p> : null}
          <div className={classes.pairs}>
            {columns.map((column) => (
              <Field
                key={column.key}
                column={column}
                point={point}
                fault={faultOf(cells, column.key, t)}
                note={notes?.get(column.key)?.text}
                onChange={onChange}
              />
            ))}
          </div>
          {group === 'alarm' ? (
            <AlarmLinkage deviceId={deviceId} point={point} disabled={!mayChange} onChange={onChange} />
          ) : null}
          {group === 'calculate' && formula !== '' ? (
            <FormulaTrial key={formula} deviceId={deviceId} slave={slave} formula={formula} hindrance={hindrance} />
          ) : null}
        </fieldset>
      ))}
    </Drawer>
  );
}

/** The formula is tried out on the gateway, once it is asked for. */
function FormulaTrial({
  deviceId,
  slave,
  formula,
  hindrance,
}: Pick<Props, 'deviceId' | 'slave' | 'hindrance'> & { formula: string }): ReactElement {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  if (!open)
    return (
      <Button variant="light" size="compact-sm" mt="xs" onClick={() => setOpen(true)} data-testid="formula-try">
        {t('points:script.tryFormula')}
      </Button>
    );
  const references = Object.fromEntries(referencesOf(formula).map((name) => [name, name]));
  return (
    <Trial
      deviceId={deviceId}
      slave={slave}
      references={references}
      bodyOf={(values) => formulaOf(formula, values)}
      hindrance={hindrance}
      disabled={false}
    />
  );
}

function faultOf(cells: readonly Cell[], field: string, t: TFunction): string {
  const cell = cells.find((each) => each.field === field);
  return cell === undefined ? '' : faultText(t, cell.code, cell.args);
}

interface FieldProps {
  column: Column<Point>;
  point: Point;
  fault: string;
  note: string | undefined;
  onChange: (point: Point) => void;
}

function Field({ column, point, fault, note, onChange }: FieldProps): ReactElement {
  const { t } = useTranslation();
  const [typed, setTyped] = useState<string | null>(null);
  const [wrong, setWrong] = useState('');
  const text = typed ?? column.read(point);
  const put = (said: string): void => {
    const written = column.write?.(point, said);
    if (written === undefined) return;
    if ('fault' in written) return setWrong(written.fault);
    setWrong('');
    setTyped(null);
    onChange(written.row);
  };
  const shared = {
    label: column.title,
    description: note,
    error: wrong || fault || undefined,
    disabled: column.write === undefined || column.readOnly?.(point) === true,
    'data-testid': `point-field-${column.key}`,
  };
  if (column.kind === 'select') {
    const options = column.options ?? [];
    const data =
      text === '' || options.some(({ value }) => value === text)
        ? [...options]
        : [...options, { value: text, label: text }];
    return (
      <Select
        {...shared}
        data={data}
        value={text}
        onChange={(value) => put(value ?? '')}
        clearable={DEFAULTS[column.key] === undefined && text !== ''}
        clearButtonProps={{ 'aria-label': t('base:table.clear') }}
        searchable={data.length > SEARCHED}
      />
    );
  }
  if (column.kind === 'switch') {
    return (
      <div>
        <Switch
          {...shared}
          checked={text === '1'}
          onChange={(event) => put(event.currentTarget.checked ? '1' : '0')}
          mt={26}
        />
      </div>
    );
  }
  if (column.kind === 'color')
    return (
      <ColorInput
        {...shared}
        value={text}
        onChangeEnd={put}
        onChange={setTyped}
        onBlur={() => put(text)}
        format="hex"
        withEyeDropper={false}
      />
    );
  return (
    <TextInput
      {...shared}
      value={text}
      placeholder={column.placeholder}
      maxLength={column.maxLength}
      inputMode={column.kind === 'number' ? 'decimal' : undefined}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={() => typed !== null && put(typed)}
      onKeyDown={(event) => event.key === 'Enter' && typed !== null && put(typed)}
      rightSection={column.unit === undefined ? undefined : <Text size="xs">{column.unit}</Text>}
    />
  );
}
