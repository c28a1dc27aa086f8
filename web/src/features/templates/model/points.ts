import { fieldsOf, rowOf } from '@/blocks/points/document';
import { wrongKinds } from '@/blocks/points/kinds';
import { nameOf, newPoint } from '@/blocks/points/point';
import type { Fields, Point } from '@/blocks/points/point';
import type { Content } from '../api';
import { nameOf as nameOfLine } from './lines';
import type { Line } from './lines';

const NAME = /^\w{1,64}$/;

/** Points of a template's content as its editor has them; slave stays a field of those that have one. */
export function pointsOf(content: Content): readonly Point[] {
  const rows = content.points;
  return Array.isArray(rows) ? rows.map((row) => newPoint(fieldsOf(row as Fields))) : [];
}

export const rowsOf = (points: readonly Point[]): Fields[] => points.map(({ fields }) => rowOf(fields));

export const slaveOf = ({ fields }: Point): string => String(fields.slave ?? '');

/** How many points have a name, or a text in place of a number or choice, with which the template is not saved. */
export function faultyPoints(points: readonly Point[]): number {
  const counts = new Map<string, number>();
  const keyOf = (point: Point): string => `${slaveOf(point)} ${nameOf(point)}`;
  for (const point of points) counts.set(keyOf(point), (counts.get(keyOf(point)) ?? 0) + 1);
  return points.filter(
    (point) => !NAME.test(nameOf(point)) || (counts.get(keyOf(point)) ?? 0) > 1 || wrongKinds(point.fields).length > 0,
  ).length;
}

/** Slaves that have points of their own: without a template, and those that have some all the same. */
export function slavesWithPoints(slaves: readonly Line[], points: readonly Point[]): readonly string[] {
  const have = new Set(points.map(slaveOf));
  const named = slaves
    .filter((line) => line.fields.template === undefined || have.has(nameOfLine(line)))
    .map(nameOfLine);
  return [...new Set([...named, ...have])].filter((name) => name !== '');
}

/** All points, with those of one slave replaced where the first of them stood. */
export function withPointsOf(points: readonly Point[], slave: string, own: readonly Point[]): readonly Point[] {
  const first = points.findIndex((point) => slaveOf(point) === slave);
  const others = points.filter((point) => slaveOf(point) !== slave);
  const at = first < 0 ? others.length : points.slice(0, first).filter((point) => slaveOf(point) !== slave).length;
  const made = own.map((point) =>
    slaveOf(point) === slave ? point : { ...point, fields: { ...point.fields, slave } },
  );
  return [...others.slice(0, at), ...made, ...others.slice(at)];
}
