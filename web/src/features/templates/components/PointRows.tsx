import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ProtocolForm } from '@/api/generated/types.gen';
import { documentColumns } from '@/blocks/points/columns';
import { makeFaultWords } from '@/blocks/points/faultWords';
import { makeNewRow } from '@/blocks/points/newRow';
import type { Fields, Point } from '@/blocks/points/point';
import { makeValidator } from '@/blocks/points/rules';
import { SheetGrid } from '@/components/sheet/SheetGrid';

interface Props {
  name: string;
  label: string;
  points: readonly Point[];
  form: ProtocolForm | undefined;
  /** Of the slave. */
  options?: Fields;
  /** Absent: only read. */
  onChange?: (points: readonly Point[]) => void;
  maxRows: number;
  height: string;
  empty: string;
}

const NO_OPTIONS: Fields = {};
const keyOf = ({ key }: Point): number => key;
const always = (): boolean => true;

/** Points of a template in a sheet, with the columns and rules of their protocol as in the editor of a slave's points. */
export function PointRows({
  name,
  label,
  points,
  form,
  options = NO_OPTIONS,
  onChange,
  maxRows,
  height,
  empty,
}: Props): ReactElement {
  const { t, i18n } = useTranslation();
  const columns = useMemo(
    () => documentColumns(t, { form, options, language: i18n.language }),
    [t, form, options, i18n.language],
  );
  const validate = useMemo(() => makeValidator({ form, options }), [form, options]);
  const inWords = useMemo(() => makeFaultWords(t), [t]);
  const faults = useMemo(() => inWords(points, validate(points)), [inWords, validate, points]);
  const newRow = useMemo(() => makeNewRow(() => points), [points]);
  const mayChange = onChange !== undefined;
  return (
    <SheetGrid
      name={name}
      label={label}
      rows={points}
      rowKey={keyOf}
      columns={columns}
      faults={faults}
      onChange={onChange}
      newRow={mayChange ? newRow : undefined}
      mayDelete={mayChange ? always : undefined}
      maxRows={maxRows}
      height={height}
      empty={empty}
    />
  );
}
