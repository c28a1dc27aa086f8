import { useCallback, useEffect, useMemo, useRef } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { SheetGrid } from '@/components/sheet/SheetGrid';
import type { CellFault, Column, SheetFaults } from '@/components/sheet/types';
import { freeName, freshName, nameFaults, nameOf, newLine } from '../model/lines';
import type { Fields, Line } from '../model/lines';

interface Props {
  name: string;
  label: string;
  lines: readonly Line[];
  columns: readonly Column<Line>[];
  /** Absent: only read. */
  onChange?: (lines: readonly Line[]) => void;
  /** Of a fresh row; its name is made free. */
  fresh: Fields;
  /** May names have a dash? */
  dash?: boolean;
  group?: (line: Line) => string;
  maxRows: number;
  height: number | string;
  empty: string;
}

const keyOf = ({ key }: Line): number => key;
const always = (): boolean => true;

/** Rows of a template in a sheet, with faults of their names. */
export function LineSheet({
  name,
  label,
  lines,
  columns,
  onChange,
  fresh,
  dash = false,
  group,
  maxRows,
  height,
  empty,
}: Props): ReactElement {
  const { t } = useTranslation();
  const now = useRef(lines);
  useEffect(() => {
    now.current = lines;
  }, [lines]);
  const faults = useMemo((): SheetFaults => {
    const byLine = new Map<number, ReadonlyMap<string, CellFault>>();
    for (const [key, fault] of nameFaults(lines, dash, group))
      byLine.set(key, new Map([['name', { level: 'error', text: t(`templates:fault.${fault}`) }]]));
    return byLine;
  }, [lines, dash, group, t]);
  const newRow = useCallback(
    (copyOf: Line | null): Line => {
      const taken = new Set(now.current.map(nameOf));
      const first = String(fresh.name);
      const line = newLine(
        copyOf === null
          ? { ...fresh, name: freshName(taken, first) }
          : { ...copyOf.fields, name: freeName(taken, nameOf(copyOf) || first) },
      );
      // Several are asked for before any of them comes back in lines.
      now.current = [...now.current, line];
      return line;
    },
    [fresh],
  );
  return (
    <SheetGrid
      name={name}
      label={label}
      rows={lines}
      rowKey={keyOf}
      columns={columns}
      faults={faults}
      onChange={onChange}
      newRow={onChange === undefined ? undefined : newRow}
      mayDelete={onChange === undefined ? undefined : always}
      maxRows={maxRows}
      height={height}
      empty={empty}
    />
  );
}
