import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from '@/components/table/columns';
import { PagedTable } from '@/components/table/PagedTable';
import type { EmptyWords } from '@/components/table/TableState';
import { usePages, useStepBack } from '@/components/usePages';
import type { Span } from '@/lib/time';
import { gapList } from '../api';
import type { GapFilter, Gaps } from '../api';
import classes from '../completeness.module.css';

const WIDTH_PX = 190;

export interface Choice<Value extends string> {
  value: Value;
  label: string;
}

interface Props<Gap, Why extends string> {
  /** Of the table in the user's choice of columns and in tests. */
  name: string;
  title: string;
  /** Of whom and of what they are, beside period, reason and page. */
  queryKey: readonly unknown[];
  load: (filter: GapFilter<Why>, signal: AbortSignal) => Promise<Gaps<Gap>>;
  span: Span;
  columns: readonly Column<Gap>[];
  rowId: (gap: Gap) => number | string;
  reasons: readonly Choice<Why>[];
  /** A filter beside that of the reason, and what takes it away; null while it is not set. */
  filter?: ReactNode;
  onClear?: (() => void) | null;
  /** Said of a period without gaps. */
  empty: EmptyWords;
  /** Is anything known of the period? */
  known: boolean;
}

/** Gaps that touch a period, page by page, of all reasons or of one. */
export function GapTable<Gap extends { reason: Why }, Why extends string>({
  title,
  reasons,
  filter,
  onClear = null,
  ...list
}: Props<Gap, Why>): ReactElement {
  const { t } = useTranslation();
  const [reason, setReason] = useState<Why | null>(null);
  const clear = (): void => {
    setReason(null);
    onClear?.();
  };
  const { name, queryKey, span } = list;
  return (
    <>
      <div className={classes.bar}>
        <h2>{title}</h2>
        {filter}
        <GapFilterSelect
          label={t('completeness:gaps.filter')}
          all={t('completeness:gaps.all')}
          choices={reasons}
          value={reason}
          onChange={(value) => setReason(reasons.find((each) => each.value === value)?.value ?? null)}
          testId={`${name}-filter`}
        />
      </div>
      <Rows
        key={[...queryKey, reason, span.start_ms, span.end_ms].join('/')}
        {...list}
        title={title}
        reason={reason}
        onClear={reason === null && onClear === null ? null : clear}
      />
    </>
  );
}

const rowData = ({ reason }: { reason: string }) => ({ 'data-reason': reason });

interface RowsProps<Gap, Why extends string> extends Omit<Props<Gap, Why>, 'reasons' | 'filter' | 'onClear'> {
  reason: Why | null;
  onClear: (() => void) | null;
}

function Rows<Gap extends { reason: Why }, Why extends string>({
  name,
  title,
  queryKey,
  load,
  span,
  columns,
  rowId,
  reason,
  onClear,
  empty,
  known,
}: RowsProps<Gap, Why>): ReactElement {
  const { t } = useTranslation();
  const pages = usePages();
  const { page, limit } = pages;
  const wanted = { ...span, reason, page, limit };
  const query = useQuery({
    ...gapList,
    queryKey: [...queryKey, wanted],
    queryFn: ({ signal }) => load(wanted, signal),
  });
  useStepBack(pages, query);
  return (
    <PagedTable
      name={name}
      label={title}
      columns={columns}
      rowId={rowId}
      rowData={rowData}
      pages={pages}
      query={query}
      filtered={onClear !== null}
      onClear={onClear ?? undefined}
      empty={known ? empty : { title: t('completeness:nothingKnown') }}
    />
  );
}

interface SelectProps {
  label: string;
  /** Said while nothing is chosen. */
  all: string;
  choices: readonly Choice<string>[];
  value: string | null;
  onChange: (value: string | null) => void;
  testId: string;
}

/** A filter of a list of gaps: one of what there is, or all. */
export function GapFilterSelect({ label, all, choices, value, onChange, testId }: SelectProps): ReactElement {
  const { t } = useTranslation();
  return (
    <Select
      aria-label={label}
      placeholder={all}
      data={[...choices]}
      value={value}
      onChange={onChange}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('base:table.clear') }}
      nothingFoundMessage={t('base:table.noMatch')}
      w={WIDTH_PX}
      data-testid={testId}
    />
  );
}
