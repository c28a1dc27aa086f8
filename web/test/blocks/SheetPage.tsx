import { useCallback, useLayoutEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { SheetGrid } from '@/components/sheet/SheetGrid';
import type { CellFault, Change, Column, RowKey } from '@/components/sheet/types';

interface Point {
  id: number;
  fields: Readonly<Record<string, string>>;
}

const TYPES = [
  { value: '0', label: 'Coil' },
  { value: '3', label: 'Input register' },
  { value: '4', label: 'Holding register' },
];
const EXTRA = Array.from({ length: 19 }, (_, at) => `x${at + 1}`);

function column(key: string, title: string, more: Partial<Column<Point>> = {}): Column<Point> {
  return {
    key,
    title,
    kind: 'text',
    read: (row) => row.fields[key] ?? '',
    write: (row, text) => ({ row: { ...row, fields: { ...row.fields, [key]: text } } }),
    ...more,
  };
}

function whole(row: Point, text: string): { row: Point } | { fault: string } {
  return text === '' || /^\d{1,5}$/.test(text)
    ? { row: { ...row, fields: { ...row.fields, address: text } } }
    : { fault: 'Between 0 and 99999' };
}

const COLUMNS: readonly Column<Point>[] = [
  column('name', 'Name', { width: 140 }),
  column('address', 'Address', { kind: 'number', write: whole, width: 100 }),
  column('type', 'Type', { kind: 'select', options: TYPES, width: 130 }),
  column('stored', 'Stored', { kind: 'switch', width: 70 }),
  column('colour', 'Colour', { kind: 'color', width: 110 }),
  column('serial', 'Serial', { readOnly: (row) => row.id % 2 === 1 }),
  ...EXTRA.map((key) => column(key, key.toUpperCase())),
];

let last = 0;

function point(fields: Readonly<Record<string, string>>): Point {
  last += 1;
  return { id: last, fields };
}

function points(count: number): readonly Point[] {
  return Array.from({ length: count }, (_, at) =>
    point({
      name: `P${at + 1}`,
      address: String(40_001 + at),
      type: String([0, 3, 4][at % 3]),
      stored: String(at % 2),
      colour: '#2f6f9f',
      serial: `s${at}`,
      ...Object.fromEntries(EXTRA.map((key) => [key, `${key} ${at}`])),
    }),
  );
}

const ALL = points(5_000);
const fresh = (copyOf: Point | null): Point => point(copyOf?.fields ?? {});
const keyOf = (row: Point): number => row.id;
const always = (): boolean => true;

/** Names shall not be twice; a row's faults stay the same object while they are the same. */
function twice(
  rows: readonly Point[],
  before: ReadonlyMap<RowKey, ReadonlyMap<string, CellFault>>,
): Map<RowKey, ReadonlyMap<string, CellFault>> {
  const known = new Set<string>();
  const found = new Map<RowKey, ReadonlyMap<string, CellFault>>();
  for (const row of rows) {
    const name = row.fields.name ?? '';
    if (known.has(name))
      found.set(row.id, before.get(row.id) ?? new Map([['name', { level: 'error', text: 'This name is taken' }]]));
    known.add(name);
  }
  return found;
}

/** 5,000 x 25 cells, drawn after the button; window.drawn has the times, window.sheetRows what the page holds. */
export function SheetPage(): ReactElement {
  const [begins, setBegins] = useState<readonly Point[] | null>(null);
  return (
    <div style={{ padding: 12 }}>
      <h1>Sheet</h1>
      <button
        type="button"
        data-testid="show"
        onClick={() => {
          window.drawn = { from: performance.now(), rows: 0 };
          setBegins(ALL);
        }}
      >
        Show
      </button>
      <button type="button" data-testid="show-empty" onClick={() => setBegins([])}>
        Show empty
      </button>
      {begins === null ? null : <Points begins={begins} />}
    </div>
  );
}

function Points({ begins }: { begins: readonly Point[] }): ReactElement {
  const [rows, setRows] = useState(begins);
  const [faults, setFaults] = useState(() => twice(begins, new Map()));
  const [steps, setSteps] = useState(0);
  const columns = useMemo(() => COLUMNS, []);
  const onChange = useCallback((next: readonly Point[], change: Change<Point>) => {
    setRows(next);
    setFaults((before) => twice(next, before));
    setSteps((known) => known + 1);
    window.change = { changed: change.changed.length, added: change.added.length, removed: change.removed.length };
  }, []);
  useLayoutEffect(() => {
    window.sheetRows = rows;
    if (window.drawn !== undefined && window.drawn.rows === 0) window.drawn.rows = performance.now();
  }, [rows]);
  return (
    <>
      <SheetGrid
        name="points"
        label="Points"
        rows={rows}
        rowKey={keyOf}
        columns={columns}
        onChange={onChange}
        newRow={fresh}
        mayDelete={always}
        faults={faults}
        maxRows={6_000}
        height={640}
        empty="Insert a row, or paste"
      />
      <output data-testid="steps">{steps}</output>
    </>
  );
}
