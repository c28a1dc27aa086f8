import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/time';
import type { BacktestRow } from '../api';
import { dataOf } from '../coverage';
import { NOT_CONNECTED } from '../draft';
import type { ConditionDraft } from '../draft';
import { useSource } from './useSource';

type Row = BacktestRow['coverage'][number];

interface Props {
  coverage: readonly Row[];
  /** Of the rule that was tried. */
  conditions: readonly ConditionDraft[];
}

/** How much data a rule was tried on, point by point: a rule that had none is not quiet. */
export function Coverage({ coverage, conditions }: Props): ReactElement | null {
  const { t } = useTranslation();
  if (coverage.length === 0) return null;
  return (
    <div data-testid="coverage" data-has={dataOf(coverage)}>
      <Text size="sm">{t('triggers:coverage.level')}</Text>
      <ul>
        {coverage.map((row) => (
          <Point key={row.dsid} row={row} condition={conditions.find((one) => isOf(one, row))} />
        ))}
      </ul>
    </div>
  );
}

function isOf({ type, subject }: ConditionDraft, { dsid }: Row): boolean {
  return type !== NOT_CONNECTED && Number(subject) === dsid;
}

function Point({ row, condition }: { row: Row; condition: ConditionDraft | undefined }): ReactElement {
  return condition === undefined ? <Line row={row} name={`#${row.dsid}`} /> : <Named row={row} condition={condition} />;
}

function Named({ row, condition }: { row: Row; condition: ConditionDraft }): ReactElement {
  const source = useSource(condition);
  return <Line row={row} name={source?.ds_title ?? `#${row.dsid}`} />;
}

/** How far a try came that had more to look at than its time allows. */
export function UpTo({ ms }: { ms: number }): ReactElement {
  const { t } = useTranslation();
  return (
    <Text size="sm" c="orange" data-testid="tried-upto">
      {t('triggers:coverage.upto', { at: formatDateTime(ms) })}
    </Text>
  );
}

function Line({ row: { covered, samples, rolled_up, from_ms }, name }: { row: Row; name: string }): ReactElement {
  const { t } = useTranslation();
  const percent = Math.floor(covered * 1000) / 10;
  return (
    <li data-testid="coverage-point">
      <Text size="sm" span c={covered === 0 ? 'red' : undefined}>
        {covered === 0
          ? t('triggers:coverage.none', { name })
          : t('triggers:coverage.point', { name, percent, count: samples })}
        {from_ms === null ? '' : ` ${t('triggers:coverage.from', { at: formatDateTime(from_ms) })}`}
        {rolled_up ? ` ${t('triggers:coverage.rolledUp')}` : ''}
      </Text>
    </li>
  );
}
