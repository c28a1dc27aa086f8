export type Fields = Readonly<Record<string, unknown>>;

/** A fault of a field; code with arguments: 'fault.<code>' has the words. */
export interface Cell {
  field: string;
  code: string;
  args?: Readonly<Record<string, string | number>>;
  level?: 'error' | 'warning';
}

/** A row of the sheet. key stays while it is edited; was: the identifier that the cloud knows it by, null for a new one. */
export interface Point {
  key: number;
  was: string | null;
  fields: Fields;
}

/** What a field is when a document does not say it. */
export const DEFAULTS: Fields = {
  ds_type: 'num',
  rw: 'readonly',
  data_type: 'uint16',
  ratio: 1,
  bias: 0,
  record: 1,
  deadband: 0,
  capture_freq: 1,
  collect_delay_ms: 0,
  collect_mode: 'cycle',
  priority: 'trend',
  endian: 'ABCD',
  gis_show: false,
  alarm_enable: false,
  alarm_mode: 'single',
  alarm_deadband: 0,
  alarm_delay_s: 0,
  alarm_off_delay_s: 0,
};

let lastKey = 0;

export function newPoint(fields: Fields, was: string | null = null): Point {
  lastKey += 1;
  return { key: lastKey, was, fields };
}

/** A point with a field; undefined, and what it is by default, take the field away. */
export function withField(point: Point, name: string, value: unknown): Point {
  const { [name]: before, ...others } = point.fields;
  if (before === value) return point;
  if (value === undefined || value === DEFAULTS[name]) return { ...point, fields: others };
  return { ...point, fields: { ...others, [name]: value } };
}

export function nameOf(point: Point): string {
  return String(point.fields.ds_name ?? '');
}

/** A free identifier: the next one of a row that is copied (level9 becomes level10), or point1, point2 ... */
export function freeName(taken: ReadonlySet<string>, of: string): string {
  const [, stem = 'point', digits = ''] = /^(.*?)(\d*)$/.exec(of === '' ? 'point' : of) ?? [];
  let next = digits === '' ? 1 : Number(digits) + 1;
  while (taken.has(`${stem}${next}`)) next += 1;
  return `${stem}${next}`;
}
