import { ApiError } from '@/api/errors';
import type { Point } from '@/blocks/points/point';
import { refusalText } from '@/components/refusal';
import { ruleText } from '@/components/ruleText';
import type { Edit } from './edits';
import type { Changes } from './point';

/** A cell that the cloud did not accept. point: as it was sent; rule: in words. */
export interface Refused {
  point: Point;
  field: string;
  rule: string;
}

/** What was asked to be saved. */
export interface Sent {
  edit: Edit;
  changes: Changes;
}

/** Where the cloud's validation says that a change is wrong, such as changed.2.fields.ratio.constrained-int. */
const PLACE = /^(?:body\.)?(added|changed)\.(\d+)\.(?:fields\.)?([a-z]\w*)/;

/** The cell that a refusal means; null when it means none. */
export function refusedCell(error: unknown, sent: Sent | undefined): Refused | null {
  if (!(error instanceof ApiError) || sent === undefined) return null;
  const { edit, changes } = sent;
  const [, list = '', place = '', field = ''] = PLACE.exec(error.facts.field) ?? [];
  if (field === '') return null;
  const point =
    list === 'added'
      ? addedPoint(edit, Number(place))
      : edit.rows.find(({ was }) => was !== null && was === changes.changed[Number(place)]?.ds_name);
  return point === undefined ? null : { point, field, rule: refusalText(error) ?? ruleText(error.facts.rule) };
}

function addedPoint({ original, rows }: Edit, place: number): Point | undefined {
  const known = new Set(original.map(({ was }) => was));
  return rows.filter(({ was }) => was === null || !known.has(was))[place];
}
